package org.warpnfs.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.limits.FpduSize;

class FpduSizesTest {
    private static FpduSizes of(String words) throws ConfigException {
        return FpduSizes.of("--fpdu", List.of(words.split(" ")));
    }

    @Test
    void networks_anyOrder_theNarrowestCounts() throws Exception {
        FpduSizes sizes = of("10.0.0.0/8=64k 16k 10.1.0.0/16=16K 10.1.2.3=mss fd00::/8=64k");
        assertThat(sizes.to(InetAddress.getByName("10.1.2.3"))).isEqualTo(FpduSize.MSS);
        assertThat(sizes.to(InetAddress.getByName("10.1.2.4"))).isEqualTo(FpduSize.KIB_16);
        assertThat(sizes.to(InetAddress.getByName("10.2.2.4"))).isEqualTo(FpduSize.KIB_64);
        assertThat(sizes.to(InetAddress.getByName("fd00::1"))).isEqualTo(FpduSize.KIB_64);
        assertThat(sizes.to(InetAddress.getByName("192.0.2.1"))).isEqualTo(FpduSize.KIB_16);
    }

    @Test
    void networks_withoutASizeOfAllOthers_othersHaveSegments() throws Exception {
        assertThat(of("10.0.0.0/8=64k").to(InetAddress.getByName("192.0.2.1"))).isEqualTo(FpduSize.MSS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0/8=64k 10.0.0.0/8=mss",
                "10.0.0.0/8=64k 10.0.0.0/8=64k",
                "10.0.0.0/8=64k 10.0.0.0/255.0.0.0=16k",
                "10.1.2.3=64k 10.1.2.3/32=mss",
                "fd00::/8=64k fd00:0::/8=16k"
            })
    void network_twice_isRefused(String words) {
        assertThatThrownBy(() -> of(words))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("the network is listed twice")
                .hasMessageContaining(words.substring(words.indexOf(' ') + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"64k mss", "mss mss", "16k 10.0.0.0/8=64k 64k"})
    void sizeOfAllOthers_twice_isRefused(String words) {
        assertThatThrownBy(() -> of(words))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "the size of all other clients is " + words.substring(0, words.indexOf(' ')) + " already");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1448", "10.0.0.0/8", "10.0.0.0/8=", "10.0.0.0/8=8k", "10.0.0.1/8=64k", "*=64k", "=64k"})
    void word_malformed_isRefused(String word) {
        assertThatThrownBy(() -> of(word)).isInstanceOf(ConfigException.class).hasMessageContaining(word);
    }
}
