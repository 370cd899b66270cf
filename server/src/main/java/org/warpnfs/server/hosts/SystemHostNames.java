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
 * Names from the resolver of this host: {@code /etc/hosts}, DNS and the other services of nsswitch.conf, through
 * getaddrinfo(3), getnameinfo(3) and innetgr(3). Blocks until these answer. Safe for any thread.
 */
public final class SystemHostNames implements HostNames {
    /**
     * The text of EAI_AGAIN of getaddrinfo(3), the only thing by which the Java library distinguishes it from an
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

    /** Returns the name from the resolver, at most one; aliases are found by their own addresses. */
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
     * Returns whether the text is a host name. A reverse zone can contain anything, also an address in a form such as
     * 10.1, which would resolve to itself.
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
