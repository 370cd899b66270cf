package org.warpnfs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ClientAddressTest {
    private static ClientAddress of(String literal) {
        try {
            return ClientAddress.of(InetAddress.getByName(literal));
        } catch (UnknownHostException e) {
            throw new AssertionError(literal, e);
        }
    }

    @Test
    void ipv4_twoAddresses_areTwoClients() {
        assertThat(of("192.0.2.1")).isEqualTo(of("192.0.2.1")).isNotEqualTo(of("192.0.2.2"));
        assertThat(of("192.0.2.1")).hasToString("192.0.2.1");
    }

    @Test
    void ipv6_oneNetwork_isOneClient() {
        assertThat(of("2001:db8:1:2::1"))
                .isEqualTo(of("2001:db8:1:2:ffff:ffff:ffff:ffff"))
                .isNotEqualTo(of("2001:db8:1:3::1"));
        assertThat(of("2001:db8:1:2::1")).hasToString("2001:db8:1:2:0:0:0:0/64");
    }

    @Test
    void ipv6_interfaceName_doesNotCount() throws UnknownHostException {
        byte[] linkLocal = InetAddress.getByName("fe80::1").getAddress();
        assertThat(ClientAddress.of(java.net.Inet6Address.getByAddress(null, linkLocal, 7)))
                .isEqualTo(of("fe80::2"));
    }

    @Test
    void ipv4_writtenAsIpv6_isTheIpv4Address() {
        assertThat(of("::ffff:192.0.2.1")).isEqualTo(of("192.0.2.1"));
    }

    @Test
    void socketAddress_unresolved_belongsToNobody() {
        assertThat(ClientAddress.of(InetSocketAddress.createUnresolved("simulated", 1)))
                .isEqualTo(ClientAddress.NONE);
        assertThat(ClientAddress.of(new InetSocketAddress("192.0.2.1", 1))).isEqualTo(of("192.0.2.1"));
    }
}
