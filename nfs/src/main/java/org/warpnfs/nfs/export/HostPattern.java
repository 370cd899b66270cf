package org.warpnfs.nfs.export;

import com.google.common.base.Splitter;
import com.google.common.net.InetAddresses;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.warpnfs.nfs.idmap.AnswerPending;

/**
 * The hosts of one rule of an export ("Machine Name Formats" of exports(5)).
 *
 * <pre>
 * *                              everyone
 * 192.0.2.1   2001:db8::1        one address
 * fe80::1%eth0                   one link-local address, only on the link of that interface
 * 192.0.2.0/24  2001:db8::/32    a network; also 192.0.2.0/255.255.255.0
 * host.example.org               a host, by all its addresses
 * *.example.org  node[0-9]       hosts by their names; no wildcard matches a dot
 * &#64;cluster                       a netgroup
 * </pre>
 *
 * <p>Immutable; safe for any thread.
 */
public sealed interface HostPattern {
    /** Kinds of patterns in the order in which they are tried, whatever their order in the line. */
    enum Rank {
        HOST,
        NETWORK,
        WILDCARD,
        NETGROUP,
        EVERYONE
    }

    /**
     * True if the pattern matches the host at {@code address}.
     *
     * @throws AnswerPending if {@link #needsNames} is true and a name service has not answered yet
     */
    boolean matches(InetAddress address) throws AnswerPending;

    Rank rank();

    /** True if the result depends on names, so that it may change while the pattern does not. */
    default boolean needsNames() {
        return false;
    }

    /** True if the result is worth keeping for some seconds: it costs calls of the operating system or of a service. */
    default boolean isCostly() {
        return needsNames();
    }

    /**
     * Parses a pattern.
     *
     * @throws IllegalArgumentException if the text has none of the forms above; the message says what is wrong
     */
    static HostPattern of(String text, HostNames names) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("a client pattern is empty");
        }
        if (text.equals("*")) {
            return new Everyone();
        }
        if (text.startsWith("@")) {
            if (text.length() == 1) {
                throw new IllegalArgumentException("'@' must be followed by the name of a netgroup");
            }
            return new Netgroup(text.substring(1), names);
        }
        int slash = text.indexOf('/');
        if (slash >= 0) {
            return Network.of(text, slash);
        }
        String bare = bare(text);
        if (InetAddresses.isInetAddress(Zone.before(bare))) {
            InetAddress address = InetAddresses.forString(Zone.before(bare));
            return new Network(address, address.getAddress().length * Byte.SIZE, Zone.of(bare));
        }
        if (text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[')) {
            return Wildcard.of(text, names);
        }
        return new HostName(hostName(text), names);
    }

    private static String bare(String text) {
        return text.startsWith("[") && text.endsWith("]") && text.contains(":")
                ? text.substring(1, text.length() - 1)
                : text;
    }

    private static String hostName(String text) {
        for (String label : Splitter.on('.').split(text)) {
            if (label.isEmpty() || !label.chars().allMatch(HostPattern::isOfNames)) {
                throw new IllegalArgumentException("'" + text + "' is neither an address nor a host name");
            }
        }
        return text.toLowerCase(Locale.ROOT);
    }

    private static boolean isOfNames(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }

    /** {@code *}. */
    record Everyone() implements HostPattern {
        @Override
        public boolean matches(InetAddress address) {
            return true;
        }

        @Override
        public Rank rank() {
            return Rank.EVERYONE;
        }

        @Override
        public String toString() {
            return "*";
        }
    }

    /**
     * An address, or all addresses with the same leading bits.
     *
     * @param prefix an address of the network
     * @param bits how many leading bits count, up to all of them
     * @param zone the link that hosts must be on, for link-local addresses
     */
    record Network(InetAddress prefix, int bits, Zone zone) implements HostPattern {
        public Network {
            if (!zone.isAny() && !(prefix instanceof Inet6Address && prefix.isLinkLocalAddress())) {
                throw new IllegalArgumentException("'" + InetAddresses.toAddrString(prefix) + zone
                        + "': only a link-local IPv6 address, as fe80::1, belongs to an interface");
            }
            int all = prefix.getAddress().length * Byte.SIZE;
            if (bits < 0 || bits > all) {
                throw new IllegalArgumentException("prefix of " + bits + " bits: an address has " + all);
            }
        }

        private static Network of(String text, int slash) {
            String address = bare(text.substring(0, slash));
            if (!InetAddresses.isInetAddress(Zone.before(address))) {
                throw new IllegalArgumentException("'" + text + "': '" + address + "' is not an address");
            }
            InetAddress prefix = InetAddresses.forString(Zone.before(address));
            int bits = bitsOf(text, text.substring(slash + 1), prefix.getAddress().length * Byte.SIZE);
            Network network = new Network(prefix, bits, Zone.of(address));
            if (!network.beginsAt(prefix)) {
                throw new IllegalArgumentException("'" + text + "': the address has bits beyond the prefix of " + bits
                        + "; write the network, or the one address without a prefix");
            }
            return network;
        }

        private static int bitsOf(String text, String length, int all) {
            if (all == Integer.SIZE && InetAddresses.isInetAddress(length)) {
                byte[] mask = InetAddresses.forString(length).getAddress();
                if (mask.length == Integer.BYTES) {
                    int word = InetAddresses.coerceToInteger(InetAddresses.forString(length));
                    int bits = Integer.numberOfLeadingZeros(~word);
                    if (bits < Integer.SIZE && word << bits != 0) {
                        throw new IllegalArgumentException(
                                "'" + text + "': the bits of the netmask are not contiguous");
                    }
                    return bits;
                }
            }
            boolean digits =
                    !length.isEmpty() && length.length() <= 3 && length.chars().allMatch(c -> c >= '0' && c <= '9');
            int bits = digits ? Integer.parseInt(length) : -1;
            if (bits < 0 || bits > all) {
                throw new IllegalArgumentException("'" + text + "': a prefix is 0 to " + all + " bits long");
            }
            return bits;
        }

        private boolean beginsAt(InetAddress address) {
            byte[] bytes = address.getAddress();
            for (int bit = bits; bit < bytes.length * Byte.SIZE; bit++) {
                if ((bytes[bit / Byte.SIZE] >>> (Byte.SIZE - 1 - bit % Byte.SIZE) & 1) != 0) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public boolean matches(InetAddress address) {
            byte[] ours = prefix.getAddress();
            byte[] theirs = address.getAddress();
            if (ours.length != theirs.length) {
                return false;
            }
            int whole = bits / Byte.SIZE;
            for (int i = 0; i < whole; i++) {
                if (ours[i] != theirs[i]) {
                    return false;
                }
            }
            int rest = bits % Byte.SIZE;
            return (rest == 0 || ((ours[whole] ^ theirs[whole]) & 0xff) >>> (Byte.SIZE - rest) == 0)
                    && zone.holds(address);
        }

        @Override
        public boolean isCostly() {
            return !zone.isAny();
        }

        @Override
        public Rank rank() {
            return bits == prefix.getAddress().length * Byte.SIZE ? Rank.HOST : Rank.NETWORK;
        }

        @Override
        public String toString() {
            String address = InetAddresses.toAddrString(prefix) + zone;
            return rank() == Rank.HOST ? address : address + "/" + bits;
        }
    }

    /** A host by name. It matches each of the name's addresses. */
    record HostName(String name, HostNames names) implements HostPattern {
        @Override
        public boolean matches(InetAddress address) throws AnswerPending {
            return names.addressesOf(name).contains(address);
        }

        @Override
        public Rank rank() {
            return Rank.HOST;
        }

        @Override
        public boolean needsNames() {
            return true;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Hosts whose names match a wildcard. */
    record Wildcard(String text, Pattern pattern, HostNames names) implements HostPattern {
        private static Wildcard of(String text, HostNames names) {
            if (text.indexOf('.') >= 0 && text.chars().noneMatch(Character::isLetter)) {
                throw new IllegalArgumentException("'" + text
                        + "': wildcards match host names, not addresses; write a network, such as 192.0.2.0/24");
            }
            return new Wildcard(text, Pattern.compile(expression(text), Pattern.CASE_INSENSITIVE), names);
        }

        private static String expression(String text) {
            StringBuilder expression = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                switch (c) {
                    case '*' -> expression.append("[^.]*");
                    case '?' -> expression.append("[^.]");
                    case '[' -> {
                        int end = text.indexOf(']', i + 1);
                        String set = end < 0 ? "" : text.substring(i + 1, end);
                        boolean negated = set.startsWith("!") || set.startsWith("^");
                        String members = negated ? set.substring(1) : set;
                        if (members.isEmpty() || !members.chars().allMatch(HostPattern::isOfNames)) {
                            throw new IllegalArgumentException(
                                    "'" + text + "': a '[' needs letters, digits or ranges of them, and a ']'");
                        }
                        expression
                                .append('[')
                                .append(negated ? "^." : "")
                                .append(members)
                                .append(']');
                        i = end;
                    }
                    default -> {
                        if (!isOfNames(c) && c != '.') {
                            throw new IllegalArgumentException(
                                    "'" + text + "': a host name cannot contain '" + c + "'");
                        }
                        expression.append(Pattern.quote(String.valueOf(c)));
                    }
                }
            }
            return expression.toString();
        }

        @Override
        public boolean matches(InetAddress address) throws AnswerPending {
            List<String> known = names.namesOf(address);
            return known.stream().anyMatch(name -> pattern.matcher(name).matches());
        }

        @Override
        public Rank rank() {
            return Rank.WILDCARD;
        }

        @Override
        public boolean needsNames() {
            return true;
        }

        /** Compares the texts: compiled regular expressions have no equality. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Wildcard wildcard && text.equals(wildcard.text) && names.equals(wildcard.names);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** The hosts of a netgroup, by their names or addresses. */
    record Netgroup(String name, HostNames names) implements HostPattern {
        @Override
        public boolean matches(InetAddress address) throws AnswerPending {
            String bare = Zone.before(InetAddresses.toAddrString(address));
            Zone zone = Zone.of(address);
            if (names.isInNetgroup(name, bare) || (!zone.isAny() && names.isInNetgroup(name, bare + zone))) {
                return true;
            }
            for (String host : names.namesOf(address)) {
                if (names.isInNetgroup(name, host)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public Rank rank() {
            return Rank.NETGROUP;
        }

        @Override
        public boolean needsNames() {
            return true;
        }

        @Override
        public String toString() {
            return "@" + name;
        }
    }
}
