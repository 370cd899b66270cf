package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.ProtectionDomain;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/** Limits of a whole transport, over sockets. */
@Timeout(60)
class TransportLimitsTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static Socket connect(Listener listener) throws IOException {
        return new Socket(
                InetAddress.getLoopbackAddress(), listener.localAddress().getPort());
    }

    @Test
    void accepted_moreFromOneAddressThanTheLimit_isClosedAtOnceUntilOneLeaves() throws Exception {
        IwarpConfig config = IwarpConfig.builder().maxConnectionsPerAddress(2).build();
        try (IwarpTransport transport = new IwarpTransport(config)) {
            Listener listener = transport.listen(ANY_PORT, request -> {});
            TransportStatistics statistics = transport.statistics();
            try (Socket first = connect(listener);
                    Socket second = connect(listener)) {
                while (statistics.connections() < 2) {
                    Thread.onSpinWait();
                }
                try (Socket third = connect(listener)) {
                    assertThat(third.getInputStream().read()).isEqualTo(-1);
                }
                assertThat(statistics.refused()).isEqualTo(1);
                assertThat(statistics.accepted()).isEqualTo(2);
                second.shutdownOutput();
                while (statistics.connections() > 1) {
                    Thread.onSpinWait();
                }
                try (Socket third = connect(listener)) {
                    while (statistics.connections() < 2) {
                        Thread.onSpinWait();
                    }
                    assertThat(third.isConnected() && first.isConnected()).isTrue();
                }
            }
            assertThat(statistics.refused()).isEqualTo(1);
        }
    }

    /** Needs two addresses to connect from, as Linux has on loopback. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void accepted_oneAddressSaysNothingOnManyConnections_othersAreStillServed() throws Exception {
        IwarpConfig config = IwarpConfig.builder()
                .maxHalfOpenConnections(4)
                .maxHalfOpenPerAddress(3)
                .build();
        InetAddress other = InetAddress.ofLiteral("127.0.0.2");
        try (IwarpTransport transport = new IwarpTransport(config)) {
            Listener listener = transport.listen(ANY_PORT, request -> {});
            TransportStatistics statistics = transport.statistics();
            List<Socket> silent = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                silent.add(connect(listener));
            }
            while (statistics.halfOpenConnections() < 3) {
                Thread.onSpinWait();
            }
            try (Socket tooMany = connect(listener)) {
                assertThat(tooMany.getInputStream().read()).isEqualTo(-1);
            }
            assertThat(statistics.refused()).isEqualTo(1);
            try (Socket honest = new Socket(
                    InetAddress.getLoopbackAddress(), listener.localAddress().getPort(), other, 0)) {
                while (statistics.halfOpenConnections() < 4) {
                    Thread.onSpinWait();
                }
                assertThat(honest.isConnected()).isTrue();
            }
            for (Socket socket : silent) {
                socket.close();
            }
            while (statistics.connections() > 0) {
                Thread.onSpinWait();
            }
            assertThat(statistics.halfOpenConnections()).isZero();
            assertThat(statistics.refused()).isEqualTo(1);
        }
    }

    @Test
    void register_inADomainBeyondTheLimitOfAll_isRefusedAndCounted() {
        IwarpConfig config =
                IwarpConfig.builder().limits(new RnicLimits(100, 1, 1, 1)).build();
        try (IwarpTransport transport = new IwarpTransport(config);
                ProtectionDomain domain = transport.createProtectionDomain()) {
            MemoryRegion region = domain.register(ByteBuffer.allocate(100), EnumSet.of(AccessRight.REMOTE_READ));
            assertThatThrownBy(() -> domain.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.REMOTE_READ)))
                    .isInstanceOf(LimitReachedException.class);
            assertThat(transport.statistics().registeredBytes()).isEqualTo(100);
            assertThat(transport.statistics().limitRefusals()).isEqualTo(1);
            region.invalidate();
            assertThat(transport.statistics().registeredBytes()).isZero();
        }
    }

    @Test
    void connect_inADomainOfAnotherTransport_isRefusedAtOnce() {
        try (IwarpTransport transport = new IwarpTransport();
                IwarpTransport other = new IwarpTransport();
                ProtectionDomain domain = other.createProtectionDomain()) {
            ConnectOptions options = new ConnectOptions(ByteBuffer.allocate(0), 1, 1).in(domain);
            assertThatThrownBy(() -> transport.connector().connect(ANY_PORT, options, new Nobody()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another transport");
        }
    }

    private static final class Nobody implements QueuePairHandler {
        @Override
        public void created(QueuePair queuePair) {}

        @Override
        public void established(QueuePair queuePair) {}

        @Override
        public void completed(QueuePair queuePair, Completion completion) {}

        @Override
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {}
    }
}
