package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.FpduSize;

class IwarpConfigTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    /** The map takes no null, as a comparison with networks does not. */
    private static final IwarpConfig CONFIG = IwarpConfig.builder()
            .fpduSize(address -> Map.of(LOOPBACK, FpduSize.KIB_64).getOrDefault(address, FpduSize.KIB_16))
            .build();

    @Test
    void fpduSize_nameIsNotResolved_isThatOfSegments() {
        assertThat(CONFIG.fpduSize(InetSocketAddress.createUnresolved("client.example", 20049)))
                .isEqualTo(FpduSize.MSS);
        assertThat(CONFIG.fpduSize(new InetSocketAddress(LOOPBACK, 20049))).isEqualTo(FpduSize.KIB_64);
    }

    @Test
    void queuePair_ofASize_makesNoLongerFpdus() {
        assertThat(CONFIG.queuePair(FpduSize.KIB_16).mulpduBytes()).isEqualTo((16 << 10) - 6);
        assertThat(CONFIG.queuePair(FpduSize.KIB_64).mulpduBytes())
                .isEqualTo(CONFIG.queuePair().mulpduBytes());
    }
}
