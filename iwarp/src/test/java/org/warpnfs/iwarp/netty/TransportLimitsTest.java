package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
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
            IwarpStatistics statistics = transport.statistics();
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
            IwarpStatistics statistics = transport.statistics();
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

    /** Accepts every connection. Those from certain ports count as busy. */
    private static void serve(ConnectionRequest request, Set<Integer> atWork) {
        int port = request.remoteAddress().getPort();
        request.accept(new ConnectOptions(ByteBuffer.allocate(0), 1, 1), new Nobody() {
            @Override
            public void created(QueuePair queuePair) {
                queuePair.postReceive(0, ByteBuffer.allocate(0));
            }

            @Override
            public boolean idle(QueuePair queuePair) {
                return !atWork.contains(port);
            }
        });
    }

    /** A peer that has finished its startup and has sent one message. */
    private static Socket peer(Listener listener, String from, Set<Integer> atWork) throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), listener.localAddress().getPort(), InetAddress.ofLiteral(from), 0);
        if (atWork != null) {
            atWork.add(socket.getLocalPort());
        }
        send(socket, "4d504120494420526571204672616d65 1002 0004 0080 0002");
        assertThat(socket.getInputStream().readNBytes(24)).hasSize(24);
        send(socket, "0012 4143 00000000 00000000 00000001 00000000 00000000");
        return socket;
    }

    private static void send(Socket socket, String hex) throws IOException {
        ByteBuffer bytes = Hex.bytes(hex);
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        socket.getOutputStream().write(array);
    }

    private static void awaitAllEstablished(IwarpStatistics statistics) {
        while (statistics.halfOpenConnections() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void full_newcomerFromAnotherAddress_getsThePlaceOfTheLongestIdle() throws Exception {
        IwarpConfig config =
                IwarpConfig.builder().maxConnections(3).evictableIdleMillis(0).build();
        Set<Integer> atWork = ConcurrentHashMap.newKeySet();
        try (IwarpTransport transport = new IwarpTransport(config)) {
            Listener listener = transport.listen(ANY_PORT, request -> serve(request, atWork));
            IwarpStatistics statistics = transport.statistics();
            try (Socket working = peer(listener, "127.0.0.1", atWork);
                    Socket idle = peer(listener, "127.0.0.2", null);
                    Socket idleForLess = peer(listener, "127.0.0.3", null)) {
                awaitAllEstablished(statistics);
                try (Socket newcomer = peer(listener, "127.0.0.4", atWork)) {
                    assertThat(idle.getInputStream().read()).isEqualTo(-1);
                    awaitAllEstablished(statistics);
                    try (Socket another = peer(listener, "127.0.0.5", atWork)) {
                        assertThat(idleForLess.getInputStream().read()).isEqualTo(-1);
                        awaitAllEstablished(statistics);
                        // No connection is idle any more.
                        try (Socket tooMany = new Socket(
                                InetAddress.getLoopbackAddress(),
                                listener.localAddress().getPort())) {
                            assertThat(tooMany.getInputStream().read()).isEqualTo(-1);
                        }
                        assertThat(statistics.evicted()).isEqualTo(2);
                        assertThat(statistics.refused()).isEqualTo(1);
                        assertThat(statistics.connections()).isEqualTo(3);
                        assertThat(List.of(working, newcomer, another)).noneMatch(Socket::isClosed);
                    }
                }
            }
        }
    }

    /**
     * Each of four addresses opens as many connections as are accepted, and is silent after the reply to its MPA
     * request.
     */
    @Test
    @EnabledOnOs(OS.LINUX)
    void fourAddresses_silentBehindTheReply_othersAreServed() throws Exception {
        IwarpConfig config = IwarpConfig.builder()
                .maxConnections(40)
                .maxHalfOpenConnections(20)
                .build();
        List<Socket> silent = new ArrayList<>();
        try (IwarpTransport transport = new IwarpTransport(config)) {
            Listener listener = transport.listen(ANY_PORT, request -> serve(request, Set.of()));
            for (int address = 1; address <= 4; address++) {
                for (int i = 0; i < 40; i++) {
                    Socket socket = new Socket(
                            InetAddress.getLoopbackAddress(),
                            listener.localAddress().getPort(),
                            InetAddress.ofLiteral("127.0.1." + address),
                            0);
                    silent.add(socket);
                    try {
                        send(socket, "4d504120494420526571204672616d65 1002 0004 0080 0002");
                        int read = socket.getInputStream().readNBytes(24).length;
                        assertThat(read).isIn(0, 24);
                    } catch (IOException e) {
                        // The connection was not admitted, and was reset because it had sent something.
                        assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|abort).*");
                    }
                }
            }
            IwarpStatistics statistics = transport.statistics();
            assertThat(statistics.refused()).isPositive();
            assertThat(statistics.halfOpenConnections()).isBetween(8, 20);
            for (int i = 0; i < 10; i++) {
                peer(listener, "127.0.2." + (i + 1), null).close();
            }
            for (Socket socket : silent) {
                socket.close();
            }
            while (statistics.connections() > 0) {
                Thread.onSpinWait();
            }
            assertThat(statistics.halfOpenConnections()).isZero();
        }
    }

    @Test
    void accept_failsForWantOfDescriptors_restsAndGoesOn() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(ANY_PORT, request -> serve(request, Set.of()));
            Channel listening = ((IwarpTransport.NettyListener) listener).channel();
            boolean accepting = listening
                    .eventLoop()
                    .submit(() -> {
                        listening
                                .pipeline()
                                .fireExceptionCaught(new IOException("accept(..) failed: Too many open files"));
                        listening
                                .pipeline()
                                .fireExceptionCaught(new IOException("accept(..) failed: Too many open files"));
                        return listening.config().isAutoRead();
                    })
                    .get();
            assertThat(accepting).isFalse();
            assertThat(transport.statistics().acceptFailures()).isEqualTo(2);
            // The connection waits in the backlog meanwhile.
            peer(listener, "127.0.0.1", null).close();
            assertThat(listening.config().isAutoRead()).isTrue();
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

    private static class Nobody implements QueuePairHandler {
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
