package org.warpnfs.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.export.HostPattern.Rank;
import org.warpnfs.nfs.idmap.AnswerPending;

class HostPatternTest {
    /** Such a pattern would match no host, and nothing would say why. */
    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.*", "10.*", "192.0.[0-9].1", "*.*", "192.0.2.?"})
    void wildcardsInAnAddress_areAMistakeThatNamesWhatToWrite(String text) {
        assertThatThrownBy(() -> HostPattern.of(text, NAMES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text)
                .hasMessageContaining("write a network");
    }

    /**
     * node7.cluster.example.org is 192.0.2.7, in netgroup "nodes" by name; 192.0.2.9 is in netgroup "numbers" and has
     * no name.
     */
    private static final HostNames NAMES = new HostNames() {
        @Override
        public Set<InetAddress> addressesOf(String name) {
            return name.equals("node7.cluster.example.org") ? Set.of(InetAddresses.forString("192.0.2.7")) : Set.of();
        }

        @Override
        public List<String> namesOf(InetAddress address) {
            return address.equals(InetAddresses.forString("192.0.2.7"))
                    ? List.of("node7.cluster.example.org")
                    : List.of();
        }

        @Override
        public boolean isInNetgroup(String netgroup, String host) {
            return (netgroup.equals("nodes") && host.equals("node7.cluster.example.org"))
                    || (netgroup.equals("numbers") && host.equals("192.0.2.9"));
        }
    };

    @ParameterizedTest
    @CsvSource({
        "*, 192.0.2.1, true",
        "*, 2001:db8::1, true",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "192.0.2.1, ::ffff:192.0.2.1, true",
        "192.0.2.0/24, 192.0.2.255, true",
        "192.0.2.0/24, 192.0.3.0, false",
        "192.0.2.128/25, 192.0.2.128, true",
        "192.0.2.128/25, 192.0.2.127, false",
        "192.0.2.0/255.255.255.128, 192.0.2.127, true",
        "192.0.2.0/255.255.255.128, 192.0.2.128, false",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "2001:db8::1, 2001:db8:0:0:0:0:0:1, true",
        "[2001:db8::]/32, 2001:db8:1::1, true",
        "::/0, 192.0.2.1, false",
        "node7.cluster.example.org, 192.0.2.7, true",
        "NODE7.Cluster.Example.Org, 192.0.2.7, true",
        "node7.cluster.example.org, 192.0.2.8, false",
        "*.cluster.example.org, 192.0.2.7, true",
        "*.example.org, 192.0.2.7, false",
        "node?.cluster.example.org, 192.0.2.7, true",
        "node[0-9].CLUSTER.example.org, 192.0.2.7, true",
        "node[!0-9].cluster.example.org, 192.0.2.7, false",
        "node[a-f].cluster.example.org, 192.0.2.7, false",
        "*.cluster.example.org, 192.0.2.8, false",
        "@nodes, 192.0.2.7, true",
        "@nodes, 192.0.2.9, false",
        "@numbers, 192.0.2.9, true",
    })
    void matches_address_asExports5Says(String pattern, String address, boolean expected) throws AnswerPending {
        assertThat(HostPattern.of(pattern, NAMES).matches(InetAddresses.forString(address)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, HOST, false",
        "host.example.org, HOST, true",
        "192.0.2.1/32, HOST, false",
        "192.0.2.0/24, NETWORK, false",
        "*.example.org, WILDCARD, true",
        "@nodes, NETGROUP, true",
        "*, EVERYONE, false",
    })
    void rank_kind_isThatOfExports5(String pattern, Rank rank, boolean needsNames) {
        HostPattern read = HostPattern.of(pattern, NAMES);
        assertThat(read.rank()).isEqualTo(rank);
        assertThat(read.needsNames()).isEqualTo(needsNames);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24",
        "2001:db8::/32",
        "192.0.2.1",
        "*.example.org",
        "@nodes",
        "*",
        "host.example.org",
        "fe80::1%lo",
        "fe80::%lo/64"
    })
    void toString_pattern_isReadAgainAsTheSame(String pattern) {
        HostPattern read = HostPattern.of(pattern, NAMES);
        assertThat(read).hasToString(pattern);
        assertThat(HostPattern.of(read.toString(), NAMES)).isEqualTo(read);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|is empty",
                "@|netgroup",
                "192.0.2.0/33|0 to 32",
                "192.0.2.0/|0 to 32",
                "192.0.2.0/-1|0 to 32",
                "2001:db8::/129|0 to 128",
                "192.0.2.0/255.0.255.0|not contiguous",
                "192.0.2.1/24|beyond the prefix",
                "host/24|not an address",
                "node[|'['",
                "node[]|'['",
                "node[.]|'['",
                "a..b|nor a host name",
                "a b|nor a host name",
                "*/x|not an address",
                "*$|a host name cannot contain",
                "fe80::1%|behind the '%' is missing",
                "2001:db8::1%lo|only a link-local",
                "192.0.2.1%lo|only a link-local",
                "2001:db8::%lo/32|only a link-local",
            })
    void of_mistake_saysWhatIsWrong(String pattern, String expected) {
        assertThatThrownBy(() -> HostPattern.of(pattern, NAMES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(expected);
    }

    private static InetAddress onLink(String address, int link) throws UnknownHostException {
        return Inet6Address.getByAddress(null, InetAddresses.forString(address).getAddress(), link);
    }

    /** Two hosts on two links may have one link-local address; the first interface of every Linux host is lo. */
    @ParameterizedTest
    @CsvSource({
        "fe80::1%lo, fe80::1, 1, true",
        "fe80::1%lo, fe80::1, 2, false",
        "fe80::1%lo, fe80::1, 0, false",
        "fe80::1%lo, fe80::2, 1, false",
        "[fe80::1%lo], fe80::1, 1, true",
        "fe80::1%1, fe80::1, 1, true",
        "fe80::1%1, fe80::1, 11, false",
        "fe80::1%nolink, fe80::1, 1, false",
        "fe80::1, fe80::1, 1, true",
        "fe80::1, fe80::1, 2, true",
        "fe80::%lo/64, fe80::7, 1, true",
        "fe80::%lo/64, fe80::7, 2, false",
        "fe80::/64, fe80::7, 2, true",
        "@local, fe80::1, 1, true",
        "@local, fe80::1, 2, false",
        "@local, fe80::2, 2, true",
    })
    void matches_linkLocalAddress_onlyOnItsLink(String pattern, String address, int link, boolean expected)
            throws AnswerPending, UnknownHostException {
        HostNames netgroups = new HostNames() {
            @Override
            public Set<InetAddress> addressesOf(String name) {
                return Set.of();
            }

            @Override
            public List<String> namesOf(InetAddress of) {
                return List.of();
            }

            @Override
            public boolean isInNetgroup(String netgroup, String host) {
                return host.equals("fe80::1%lo") || host.equals("fe80::2");
            }
        };
        assertThat(HostPattern.of(pattern, netgroups).matches(onLink(address, link)))
                .isEqualTo(expected);
    }

    @Test
    void policy_oneAddressOnTwoLinks_eachHasTheOptionsOfItsLink() throws AnswerPending, UnknownHostException {
        ExportOptions readOnly = ExportOptions.DEFAULTS.withReadOnly(true);
        ExportPolicy policy = ExportPolicy.of(List.of(
                new ExportRule(HostPattern.of("fe80::1%lo", NAMES), ExportOptions.DEFAULTS),
                new ExportRule(HostPattern.of("fe80::1%2", NAMES), readOnly)));
        assertThat(policy.needsNames()).isFalse();
        for (int i = 0; i < 2; i++) {
            assertThat(policy.optionsFor(onLink("fe80::1", 1))).isEqualTo(ExportOptions.DEFAULTS);
            assertThat(policy.optionsFor(onLink("fe80::1", 2))).isEqualTo(readOnly);
            assertThat(policy.optionsFor(onLink("fe80::1", 3))).isNull();
        }
    }

    /** What is kept of one host is not the answer for the host with the same address on another link. */
    @Test
    void policy_namesOfOneAddressOnTwoLinks_areTwo() throws AnswerPending, UnknownHostException {
        HostNames byLink = new HostNames() {
            @Override
            public Set<InetAddress> addressesOf(String name) {
                return Set.of();
            }

            @Override
            public List<String> namesOf(InetAddress address) {
                return ((Inet6Address) address).getScopeId() == 1 ? List.of("friend.local") : List.of("other.net");
            }

            @Override
            public boolean isInNetgroup(String netgroup, String host) {
                return false;
            }
        };
        HostNames kept = new KeptHostNames(byLink, Runnable::run, () -> 0);
        ExportPolicy policy =
                ExportPolicy.of(List.of(new ExportRule(HostPattern.of("*.local", kept), ExportOptions.DEFAULTS)));
        assertThat(policy.optionsFor(onLink("fe80::1", 1))).isEqualTo(ExportOptions.DEFAULTS);
        assertThat(policy.optionsFor(onLink("fe80::1", 2))).isNull();
    }

    @Test
    void policy_namesDecide_askedOnceForAnAddress() throws AnswerPending {
        int[] asked = new int[1];
        HostNames counting = new HostNames() {
            @Override
            public Set<InetAddress> addressesOf(String name) {
                asked[0]++;
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
        ExportPolicy policy = ExportPolicy.of(
                List.of(new ExportRule(HostPattern.of("host.example.org", counting), ExportOptions.DEFAULTS)));
        InetAddress address = InetAddresses.forString("192.0.2.1");
        assertThat(policy.optionsFor(address)).isNull();
        assertThat(policy.optionsFor(address)).isNull();
        assertThat(asked[0]).isEqualTo(1);
    }
}
