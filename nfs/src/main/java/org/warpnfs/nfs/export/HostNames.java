package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.idmap.AnswerPending;

/**
 * What this host knows of other hosts' names, asked where an export names its clients by name (exports(5)).
 *
 * <p>A method either blocks for as long as a name service takes, or puts its caller off ({@link KeptHostNames}). One
 * that could not find out throws {@link java.io.UncheckedIOException}; no name, no address is an answer: who cannot be
 * found is not let in. Safe for any thread.
 */
public interface HostNames {
    /** Knows nothing: for exports that name addresses alone. */
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

    /** All addresses of a host; none if the name is not known. */
    Set<InetAddress> addressesOf(String name) throws AnswerPending;

    /**
     * The names of the host at an address, without a dot at their ends. Only names whose own addresses have
     * {@code address} among them: whoever runs the reverse zone of an address can write any name there.
     */
    List<String> namesOf(InetAddress address) throws AnswerPending;

    /** True if {@code host}, a name or an address, is a member of the netgroup. */
    boolean isInNetgroup(String netgroup, String host) throws AnswerPending;
}
