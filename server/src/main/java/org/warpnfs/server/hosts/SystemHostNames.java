package org.warpnfs.server.hosts;

import com.google.common.base.Splitter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.warpnfs.nfs.export.HostNames;

/**
 * Names by the resolver of this host: {@code /etc/hosts}, DNS and whatever else nsswitch.conf names, through
 * getaddrinfo(3), getnameinfo(3) and innetgr(3). Blocks as long as these do. Safe for any thread.
 */
public final class SystemHostNames implements HostNames {
    /**
     * EAI_AGAIN of getaddrinfo(3): the virtual machine passes its text on, and nothing else that tells it from an
     * unknown name.
     */
    private static final String NO_ANSWER = "Temporary failure in name resolution";

    private static final int MAX_NAME = 253;
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9_-]{1,63}");

    private final ReverseNames reverse = ReverseNames.ofLibc();
    private final Netgroups netgroups = Netgroups.ofLibc();

    @Override
    public Set<InetAddress> addressesOf(String name) {
        try {
            Set<InetAddress> addresses = new HashSet<>();
            for (InetAddress address : InetAddress.getAllByName(name)) {
                addresses.add(InetAddress.getByAddress(address.getAddress()));
            }
            return addresses;
        } catch (UnknownHostException e) {
            if (String.valueOf(e.getMessage()).endsWith(NO_ANSWER)) {
                throw new UncheckedIOException(e);
            }
            return Set.of();
        }
    }

    /** The resolver gives one name; an alias is found by its own addresses. */
    @Override
    public List<String> namesOf(InetAddress address) {
        return reverse.of(address)
                .map(name -> name.endsWith(".") ? name.substring(0, name.length() - 1) : name)
                .filter(SystemHostNames::isHostName)
                .filter(name -> addressesOf(name).contains(address))
                .map(List::of)
                .orElse(List.of());
    }

    /**
     * Whoever runs a reverse zone can write anything there: an address too, in forms such as 10.1, which would then be
     * its own address.
     */
    static boolean isHostName(String name) {
        List<String> labels = Splitter.on('.').splitToList(name);
        return name.length() <= MAX_NAME
                && labels.stream().allMatch(label -> LABEL.matcher(label).matches())
                && labels.getLast().chars().anyMatch(Character::isLetter);
    }

    @Override
    public boolean isInNetgroup(String netgroup, String host) {
        return netgroups.hasHost(netgroup, host);
    }
}
