package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.idmap.AnswerPending;

/**
 * Names of hosts by a name service. Used where an export names its clients by name (exports(5)).
 *
 * <p>Either a method blocks for as long as the name service takes, or it throws {@link AnswerPending}
 * ({@link KeptHostNames}). It throws {@link java.io.UncheckedIOException} if the service failed. That a host has no
 * name or no address is an answer: a host that is not found is not served. Safe for any thread.
 */
public interface HostNames {
    /** Knows no names. For exports that name only addresses. */
    HostNames NONE = new HostNames() {
        @Override
        public Set<InetAddress> addressesOf(String name) {
            return Set.of();
        }

        @Override
        public List<String> namesOf(InetAddress address) {
            return List.of();
        }

        @Override
        public boolean isInNetgroup(String netgroup, String host) {
            return false;
        }
    };

    /** All addresses of a host; none if the name does not exist. */
    Set<InetAddress> addressesOf(String name) throws AnswerPending;

    /**
     * The names of the host at an address, without a trailing dot. A name counts only if {@code address} is among its
     * own addresses, since the owner of an address's reverse zone can enter any name there.
     */
    List<String> namesOf(InetAddress address) throws AnswerPending;

    /** True if {@code host}, a name or an address, is a member of the netgroup. */
    boolean isInNetgroup(String netgroup, String host) throws AnswerPending;
}
