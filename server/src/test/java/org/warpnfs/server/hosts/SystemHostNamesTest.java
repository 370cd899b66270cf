package org.warpnfs.server.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class SystemHostNamesTest {
    private static final InetAddress LOOPBACK = InetAddresses.forString("127.0.0.1");

    private final SystemHostNames names = new SystemHostNames();

    @Test
    void addressesOf_host_isWhatTheResolverSays() {
        assertThat(names.addressesOf("localhost")).contains(LOOPBACK);
        // No host has this name (RFC 6761, section 6.4).
        assertThat(names.addressesOf("host.invalid")).isEmpty();
    }

    @Test
    void namesOf_loopback_areNamesWhoseAddressesItIs() {
        assertThat(names.namesOf(LOOPBACK)).isNotEmpty().allSatisfy(name -> assertThat(names.addressesOf(name))
                .contains(LOOPBACK));
    }

    @Test
    void namesOf_addressWithoutAName_areNone() {
        List<String> found;
        try {
            // TEST-NET-1, RFC 5737.
            found = names.namesOf(InetAddresses.forString("192.0.2.1"));
        } catch (UncheckedIOException e) {
            assertThat(e).as("no resolver answers here").hasMessageContaining("getnameinfo");
            return;
        }
        assertThat(found).isEmpty();
    }

    /**
     * A resolver that fails is not the same as an address without a name. A host must not lose its exports while the
     * resolver is down.
     */
    @Test
    void resolver_thatDoesNotAnswer_isNoAddressWithoutAName() {
        assertThat(ReverseNames.answered(0)).isTrue();
        assertThat(ReverseNames.answered(-2)).as("EAI_NONAME").isFalse();
        for (int error : new int[] {-3, -4, -10, -11}) {
            assertThatThrownBy(() -> ReverseNames.answered(error)).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void reverseZone_thatSaysWhatIsNoName_isNotBelieved() {
        for (String name : List.of(
                "10.1",
                "192.0.2.7",
                "0x7f.1",
                "127.1",
                "",
                ".",
                "a..b",
                "fe80::1%eth0",
                "a b",
                "a\nb",
                "x.\u001b[2J",
                "*",
                "a".repeat(64),
                "a.".repeat(127) + "a")) {
            assertThat(SystemHostNames.isHostName(name)).as(name).isFalse();
        }
        for (String name : List.of(
                "localhost", "node7.cluster.example.org", "7node.org", "a_b.example", "xn--bcher-kva.example")) {
            assertThat(SystemHostNames.isHostName(name)).as(name).isTrue();
        }
    }

    @Test
    void isInNetgroup_groupThatIsNotThere_isNo() {
        assertThat(names.isInNetgroup("warpnfs-no-such-group", "localhost")).isFalse();
    }
}
