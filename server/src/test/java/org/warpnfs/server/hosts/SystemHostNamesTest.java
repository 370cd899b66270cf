package org.warpnfs.server.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class SystemHostNamesTest {
    private static final InetAddress LOOPBACK = InetAddresses.forString("127.0.0.1");

    private final SystemHostNames names = new SystemHostNames();

    @Test
    void addressesOf_host_isWhatTheResolverSays() {
        assertThat(names.addressesOf("localhost")).contains(LOOPBACK);
        // RFC 6761 section 6.4: nobody has this name.
        assertThat(names.addressesOf("host.invalid")).isEmpty();
    }

    @Test
    void namesOf_loopback_areNamesWhoseAddressesItIs() {
        assertThat(names.namesOf(LOOPBACK)).isNotEmpty().allSatisfy(name -> assertThat(names.addressesOf(name))
                .contains(LOOPBACK));
    }

    @Test
    void namesOf_addressWithoutAName_areNone() {
        // TEST-NET-1, RFC 5737.
        assertThat(names.namesOf(InetAddresses.forString("192.0.2.1"))).isEmpty();
    }

    @Test
    void isInNetgroup_groupThatIsNotThere_isNo() {
        assertThat(names.isInNetgroup("warpnfs-no-such-group", "localhost")).isFalse();
    }
}
