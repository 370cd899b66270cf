package org.warpnfs.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.server.config.FpduSizes;

/** The server's defaults equal those of the layers, unless the server has its own reason for another. */
class LayerLimitsTest {
    private static final ServerLimits LIMITS = ServerLimits.DEFAULT;

    @Test
    void defaults_ofTcp_areTheLayersOwn() {
        assertThat(LayerLimits.tcp(LIMITS)).isEqualTo(TcpOptions.DEFAULT);
    }

    @Test
    void defaults_ofRpcOverRdma_areTheLayersOwn_butForTheIdleTimeThatIwarpHas() {
        ResponderOptions made = LayerLimits.responder(LIMITS, false);
        assertThat(made)
                .usingRecursiveComparison()
                .ignoringFields("deadlines.idleBeforeEviction")
                .isEqualTo(ResponderOptions.DEFAULT);
        assertThat(made.deadlines().idleBeforeEviction().toMillis())
                .isEqualTo(LayerLimits.iwarp(LIMITS, MpaChoices.defaults(), FpduSizes.DEFAULT)
                        .evictableIdleMillis());
    }

    @Test
    void defaults_ofIwarp_areTheLayersOwn_butForAClientsConnections() {
        IwarpConfig made = LayerLimits.iwarp(LIMITS, MpaChoices.defaults(), FpduSizes.DEFAULT);
        assertThat(made)
                .usingRecursiveComparison()
                .ignoringFields("maxConnectionsPerAddress", "fpduSize")
                .isEqualTo(IwarpConfig.defaults());
        InetAddress client = InetAddress.getLoopbackAddress();
        assertThat(made.fpduSize().apply(client))
                .isEqualTo(IwarpConfig.defaults().fpduSize().apply(client));
        assertThat(made.maxConnectionsPerAddress())
                .as("as many as RPC-over-RDMA and TCP allow")
                .isEqualTo(ResponderOptions.DEFAULT.clients().maxConnectionsOfOne())
                .isEqualTo(TcpOptions.DEFAULT.maxConnectionsPerClient());
    }

    @Test
    void defaults_ofStateRepliesAndFiles_areTheLayersOwn() {
        assertThat(LayerLimits.state(LIMITS, 1 << 20)).isEqualTo(StateLimits.forIoOf(1 << 20));
        assertThat(LIMITS.memory().keptReplyBytes()).isEqualTo(ReplyCache.MAX_BYTES);
        assertThat(LayerLimits.local(LIMITS)).isEqualTo(LocalOptions.DEFAULTS);
    }
}
