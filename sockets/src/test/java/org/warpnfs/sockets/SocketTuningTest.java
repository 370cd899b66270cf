package org.warpnfs.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import org.junit.jupiter.api.Test;

class SocketTuningTest {
    /**
     * A vanished host is noticed within two minutes, idle or with data in flight. The system's own limits are hours.
     */
    @Test
    void socket_tuned_endsConnectionsOfVanishedHosts() {
        assumeTrue(Epoll.isAvailable());
        EpollSocketChannel channel = new EpollSocketChannel();
        try {
            SocketTuning.apply(channel, "");
            assertThat(channel.config().isKeepAlive()).isTrue();
            assertThat(channel.config().getTcpKeepIdle()).isEqualTo(60);
            assertThat(channel.config().getTcpKeepIntvl()).isEqualTo(10);
            assertThat(channel.config().getTcpKeepCnt()).isEqualTo(6);
            assertThat(channel.config().getTcpUserTimeout()).isEqualTo(120_000);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }
}
