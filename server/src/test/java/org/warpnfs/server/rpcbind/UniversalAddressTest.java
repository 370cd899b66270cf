package org.warpnfs.server.rpcbind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UniversalAddressTest {
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 2049, 192.0.2.1.8.1",
        "0.0.0.0, 20049, 0.0.0.0.78.81",
        "::, 111, ::.0.111",
        "::1, 65535, ::1.255.255",
        "2001:db8::2:1, 0, 2001:db8::2:1.0.0"
    })
    void address_writtenAndRead_isTheSame(String host, int port, String text) {
        assertThat(UniversalAddress.of(InetAddresses.forString(host), port)).isEqualTo(text);
        assertThat(UniversalAddress.parse(text)).contains(new InetSocketAddress(InetAddresses.forString(host), port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "1.2.3.4",
                "1.2.3.4.5",
                "1.2.3.4.256.1",
                "1.2.3.4.1.-1",
                "1.2.3.4.1.",
                "host.8.1",
                "/run/rpcbind.sock",
                "1.2.3.4.0001.1",
                "::1.+1.1"
            })
    void text_thatIsNone_isNone(String text) {
        assertThat(UniversalAddress.parse(text)).isEmpty();
    }

    @Test
    void choice_words_areRead() {
        assertThat(RpcbindChoice.parse("off")).isEqualTo(new RpcbindChoice.Off());
        assertThat(RpcbindChoice.parse("register")).isEqualTo(new RpcbindChoice.Register());
        assertThat(RpcbindChoice.parse("serve")).isEqualTo(new RpcbindChoice.Serve(new InetSocketAddress(111)));
        assertThat(RpcbindChoice.parse("serve:127.0.0.1:1111"))
                .isEqualTo(new RpcbindChoice.Serve(new InetSocketAddress(InetAddresses.forString("127.0.0.1"), 1111)));
        assertThat(RpcbindChoice.parse("serve:[::1]"))
                .isEqualTo(new RpcbindChoice.Serve(new InetSocketAddress(InetAddresses.forString("::1"), 111)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "on", "serve:", "serve:host:1", "serve:127.0.0.1:99999", "serve:127.0.0.1:x"})
    void choice_otherWords_areRefused(String text) {
        assertThatThrownBy(() -> RpcbindChoice.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
