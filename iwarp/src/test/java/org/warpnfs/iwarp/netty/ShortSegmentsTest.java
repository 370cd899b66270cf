package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.OwnNetwork;

/** Tests over sockets once more, with segments as long as those of Ethernet, which FPDUs fit. */
class ShortSegmentsTest {
    private static @Nullable OwnNetwork network;

    @BeforeAll
    static void enter() {
        assumeTrue(OwnNetwork.permitted());
        network = new OwnNetwork();
    }

    @AfterAll
    static void leave() throws IOException {
        if (network != null) {
            network.close();
            network = null;
        }
    }

    @Test
    void loopback_isThatOfTheTestsAlone() throws Exception {
        assertThat(NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
                        .getMTU())
                .isEqualTo(1500);
    }

    @Nested
    class Transport extends IwarpTransportTest {}

    @Nested
    class Apart extends StreamsApartTest {}
}
