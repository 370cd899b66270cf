package org.warpnfs.nfs.v4.state.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** A client may have itself called at its own host, and nowhere else. */
class CallbackAddressTest {
    private static final int PROGRAM = 0x4000_0000;

    private static @Nullable CallbackAddress of(String netid, String address, String from) {
        return CallbackAddress.of(PROGRAM, new UniversalAddress(netid, address), 7, InetAddress.ofLiteral(from));
    }

    @ParameterizedTest
    @CsvSource({
        "tcp,  10.9.0.2.131.233,       10.9.0.2,         33769",
        "tcp,  192.0.2.255.0.111,      192.0.2.255,      111",
        "tcp6, 2001:db8::1.131.233,    2001:db8::1,      33769",
        "tcp6, 2001:DB8:0:0::1.255.255, 2001:db8::1,     65535",
        "tcp6, ::1.0.1,                ::1,              1",
        "tcp6, ::ffff:192.0.2.1.8.1,   192.0.2.1,        2049"
    })
    void parsed_ofTheHostThatCalls_isItsPort(String netid, String address, String from, int port) {
        assertThat(of(netid, address, from))
                .isEqualTo(new CallbackAddress(PROGRAM, new InetSocketAddress(InetAddress.ofLiteral(from), port), 7));
    }

    @ParameterizedTest
    @CsvSource({
        "tcp,  10.9.0.3.131.233,        10.9.0.2",
        "tcp,  127.0.0.1.131.233,       10.9.0.2",
        "tcp6, 2001:db8::2.131.233,     2001:db8::1",
        "tcp6, ::1.131.233,             2001:db8::1",
        "tcp6, ::10.9.0.2.131.233,      10.9.0.2",
        "tcp,  0.0.0.0.131.233,         0.0.0.0",
        "tcp,  224.0.0.1.131.233,       224.0.0.1",
        "tcp6, ::.131.233,              ::"
    })
    void parsed_ofAnotherHost_isNoAddress(String netid, String address, String from) {
        assertThat(of(netid, address, from)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                ".....",
                "1.2",
                "10.9.0.2",
                "10.9.0.2.131",
                "10.9.0.2.0.0",
                "10.9.0.2.131.256",
                "10.9.0.2.256.1",
                "10.9.0.2.131.",
                "10.9.0.2..233",
                "10.9.0.2.-1.233",
                "10.9.0.2.+1.233",
                "10.9.0.2.0x1.233",
                "10.9.0.2.131.0233",
                "10.9.0.2.131.233.",
                "10.9.0.2.131.233 ",
                " 10.9.0.2.131.233",
                "10.9.0.2.1.131.233",
                "10.9.0.258.131.233",
                "10.9.2.131.233",
                "167772162.131.233",
                "\u0661\u0660.9.0.2.131.233",
                "localhost.131.233",
                "client.example.131.233"
            })
    void parsed_malformedTcpAddress_isNone(String address) {
        assertThat(new UniversalAddress("tcp", address).parse()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "::1",
                "::1.1",
                "::1.0.0",
                "::1.1.256",
                "::1.1.1.1.1.1.1",
                "[::1].1.1",
                "fe80::1%lo.1.1",
                "fe80::1%1.1.1",
                "1::2::3.1.1",
                "12345::.1.1",
                "1:2:3:4:5:6:7:8:9.1.1",
                ":.1.1",
                "g::1.1.1",
                "\uff11::1.1.1",
                "10.9.0.2.131.233",
                "cafe.1.1",
                "localhost.131.233"
            })
    void parsed_malformedTcp6Address_isNone(String address) {
        assertThat(new UniversalAddress("tcp6", address).parse()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "udp", "udp6", "rdma", "rdma6", "TCP", "tcp ", "tcp4", "local"})
    void parsed_otherNetid_isNone(String netid) {
        assertThat(new UniversalAddress(netid, "10.9.0.2.131.233").parse()).isNull();
        assertThat(new UniversalAddress(netid, "::1.131.233").parse()).isNull();
    }

    @Test
    void parsed_longAddress_isNone() {
        assertThat(new UniversalAddress("tcp6", "0".repeat(1 << 20) + "::1.1.1").parse())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100000, 100003, 100005, 0x3fff_ffff, 0x6000_0000, -1})
    void programWithANumberOfItsOwn_isNotCalled(int program) {
        UniversalAddress own = new UniversalAddress("tcp", "10.9.0.2.131.233");
        assertThat(CallbackAddress.of(program, own, 7, InetAddress.ofLiteral("10.9.0.2")))
                .isNull();
    }

    @Test
    void linkLocal_keepsTheScopeOfTheConnection() throws Exception {
        InetAddress from =
                Inet6Address.getByAddress(null, InetAddress.ofLiteral("fe80::1").getAddress(), 3);
        CallbackAddress address = CallbackAddress.of(PROGRAM, new UniversalAddress("tcp6", "fe80::1.131.233"), 7, from);

        assertThat(((Inet6Address) address.socket().getAddress()).getScopeId()).isEqualTo(3);
    }

    private static CompoundReader reader(CompoundWriter out) {
        Xdr xdr = new Xdr(out.toByteArray());
        xdr.beginDecoding();
        return new CompoundReader(xdr);
    }

    private static CompoundWriter clientaddr(String netid, String address) {
        CompoundWriter out = new CompoundWriter();
        out.opaque(netid.getBytes(StandardCharsets.ISO_8859_1));
        out.opaque(address.getBytes(StandardCharsets.ISO_8859_1));
        return out;
    }

    @Test
    void decoded_clientaddr4_isBothTexts() throws Nfs4Exception {
        assertThat(UniversalAddress.decode(reader(clientaddr("tcp", "10.9.0.2.131.233"))))
                .isEqualTo(new UniversalAddress("tcp", "10.9.0.2.131.233"));
    }

    @Test
    void decoded_longerThanAnyAddress_isRefused() {
        assertThatThrownBy(() -> UniversalAddress.decode(reader(clientaddr("tcp", "1".repeat(129)))))
                .isInstanceOf(Nfs4Exception.class);
    }
}
