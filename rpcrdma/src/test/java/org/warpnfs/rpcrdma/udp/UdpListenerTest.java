package org.warpnfs.rpcrdma.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

class UdpListenerTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final UdpOptions FEW = new UdpOptions(512, 4, 2, 1000, 3);

    private final BlockingQueue<InboundCall> calls = new LinkedBlockingQueue<>();
    private final BlockingQueue<RpcConnection> peers = new LinkedBlockingQueue<>();
    private UdpListener listener;
    private DatagramSocket client;

    @BeforeEach
    void listen() throws Exception {
        listener = UdpListener.bind(new InetSocketAddress(LOOPBACK, 0), FEW, connection -> {
            peers.add(connection);
            return new Collector();
        });
        client = new DatagramSocket(0, LOOPBACK);
        client.connect(listener.localAddress());
        client.setSoTimeout(60_000);
    }

    @AfterEach
    void close() {
        client.close();
        listener.close();
    }

    private final class Collector implements InboundHandler {
        @Override
        public void call(InboundCall call) {
            calls.add(call);
        }

        @Override
        public void backwardReply(XdrStream reply) {
            throw new AssertionError("no call went back");
        }

        @Override
        public void closed() {
            throw new AssertionError("nothing was open");
        }
    }

    private void send(int xid, int bytes) throws Exception {
        byte[] datagram = bytes < 4
                ? new byte[bytes]
                : ByteBuffer.allocate(bytes).putInt(xid).array();
        client.send(new DatagramPacket(datagram, datagram.length));
    }

    private ByteBuffer receive() throws Exception {
        DatagramPacket datagram = new DatagramPacket(new byte[4096], 4096);
        client.receive(datagram);
        return ByteBuffer.wrap(datagram.getData(), 0, datagram.getLength());
    }

    private InboundCall next() throws Exception {
        return calls.poll(60, TimeUnit.SECONDS);
    }

    private void awaitDropped(long count) throws Exception {
        while (listener.dropped() < count) {
            Thread.sleep(1);
        }
    }

    @Test
    void call_answered_replyGoesToItsSender() throws Exception {
        send(7, 40);
        InboundCall call = next();
        assertThat(call.arguments().lengthBytes()).isEqualTo(40);
        RpcConnection peer = peers.take();
        assertThat(peer.remoteAddress()).isEqualTo(client.getLocalSocketAddress());
        assertThat(peer.localAddress()).isEqualTo(listener.localAddress());
        call.reply(RpcMessage.of(ByteBuffer.allocate(24).putInt(0, 7)));
        ByteBuffer reply = receive();
        assertThat(reply.remaining()).isEqualTo(24);
        assertThat(reply.getInt()).isEqualTo(7);
        assertThat(listener.answered()).isEqualTo(1);
        assertThat(listener.underWay()).isZero();
    }

    @Test
    void reply_longerThanThreeTimesItsCall_isSystemErr() throws Exception {
        // 40 bytes and 28 of headers: the limit is three times 68, less 28.
        send(1, 40);
        next().reply(RpcMessage.of(ByteBuffer.allocate(176)));
        assertThat(receive().remaining()).isEqualTo(176);
        send(2, 40);
        next().reply(RpcMessage.of(ByteBuffer.allocate(180)));
        ByteBuffer error = receive();
        assertThat(error)
                .isEqualTo(ByteBuffer.allocate(24)
                        .putInt(2)
                        .putInt(1)
                        .putInt(0)
                        .putLong(0)
                        .putInt(5)
                        .flip());
    }

    @Test
    void datagram_tooLongOrTooShort_isDropped() throws Exception {
        send(1, 513);
        send(2, 7);
        send(3, 3);
        send(4, 512);
        assertThat(next().arguments().lengthBytes()).isEqualTo(512);
        assertThat(listener.dropped()).isEqualTo(3);
        assertThat(calls).isEmpty();
    }

    @Test
    void calls_moreThanAClientMayHaveUnderWay_areDroppedUntilOneEnds() throws Exception {
        for (int xid = 1; xid <= 3; xid++) {
            send(xid, 40);
        }
        awaitDropped(1);
        assertThat(listener.underWay()).isEqualTo(2);
        next().drop();
        send(4, 40);
        next();
        assertThat(next().arguments().readInt()).isEqualTo(4);
    }

    @Test
    void calls_ofManyClients_areBoundedTogether() throws Exception {
        CallsUnderWay calls = new CallsUnderWay(4, 2);
        for (int i = 0; i < 4; i++) {
            assertThat(calls.begin(client(i))).isTrue();
        }
        assertThat(calls.begin(client(9))).isFalse();
        calls.ended(client(1));
        assertThat(calls.begin(client(9))).isTrue();
        assertThat(calls.count()).isEqualTo(4);
    }

    @Test
    void rate_ofOneAddress_isBoundedInEachSecond_andAnotherIsServed() throws Exception {
        ReplyRates rates = new ReplyRates(3, 0);
        for (int i = 0; i < 3; i++) {
            assertThat(rates.admit(client(1), 10)).isTrue();
        }
        assertThat(rates.admit(client(1), 999_999_999)).isFalse();
        // Few addresses share a place with another, and nobody knows which.
        boolean another = false;
        for (int last = 2; last < 10; last++) {
            another |= rates.admit(client(last), 999_999_999);
        }
        assertThat(another).isTrue();
        assertThat(rates.admit(client(1), 1_000_000_000)).isTrue();
    }

    @Test
    void handler_throws_callIsGivenUp() throws Exception {
        listener.close();
        listener = UdpListener.bind(new InetSocketAddress(LOOPBACK, 0), FEW, connection -> {
            throw new IllegalStateException("a bug");
        });
        client.close();
        client = new DatagramSocket(0, LOOPBACK);
        client.connect(listener.localAddress());
        for (int xid = 1; xid <= 5; xid++) {
            send(xid, 40);
        }
        send(0, 3);
        awaitDropped(1);
        assertThat(listener.underWay()).isZero();
    }

    /** All of 127.0.0.0/8 belongs to this host, and datagrams without a source address are sent from 127.0.0.1. */
    @Test
    void reply_ofAListenerAtEveryAddress_leavesFromTheAddressThatWasAsked() throws Exception {
        InetAddress second = InetAddress.getByName("127.0.0.2");
        listener.close();
        listener = UdpListener.bind(
                new InetSocketAddress(0),
                FEW,
                connection -> {
                    peers.add(connection);
                    return new Collector();
                },
                () -> Set.of(LOOPBACK, second));
        client.close();
        client = new DatagramSocket(new InetSocketAddress(LOOPBACK, 0));
        client.setSoTimeout(60_000);
        for (String asked : List.of("127.0.0.2", "127.0.0.1", "127.0.0.2")) {
            byte[] datagram = new byte[40];
            client.send(new DatagramPacket(
                    datagram,
                    datagram.length,
                    InetAddress.getByName(asked),
                    listener.localAddress().getPort()));
            next().reply(RpcMessage.of(ByteBuffer.allocate(24)));
            assertThat(peers.take().localAddress().getAddress()).isEqualTo(InetAddress.getByName(asked));
            DatagramPacket reply = new DatagramPacket(new byte[64], 64);
            client.receive(reply);
            assertThat(reply.getAddress()).isEqualTo(InetAddress.getByName(asked));
        }
    }

    @Test
    void addressThatIsNew_hasASocketOfItsOwn_andOneThatIsGoneHasNone() throws Exception {
        Set<InetAddress> addresses = ConcurrentHashMap.newKeySet();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            Bootstrap bootstrap = new Bootstrap()
                    .group(loop)
                    .channel(NioDatagramChannel.class)
                    .option(AddressSockets.SHARED_PORT, true)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {}
                    });
            AddressSockets sockets = new AddressSockets(bootstrap, 0, () -> Set.copyOf(addresses));
            assertThat(sockets.look()).isEmpty();
            addresses.add(LOOPBACK);
            ChannelFuture made = sockets.look().getFirst().sync();
            assertThat(sockets.look()).isEmpty();
            addresses.clear();
            sockets.look();
            made.channel().closeFuture().sync();
            // An address that is not available is tried again, and does not affect the others.
            addresses.add(InetAddress.getByName("192.0.2.1"));
            ChannelFuture failed = sockets.look().getFirst().await();
            assertThat(failed.isSuccess()).isFalse();
            failed.channel().closeFuture().sync();
            assertThat(sockets.look()).hasSize(1);
            sockets.close();
            assertThat(sockets.look()).isEmpty();
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** An exception would end the schedule, and addresses that come later would have no sockets. */
    @Test
    void addresses_cannotBeLookedAtOnce_areLookedAtAgain() throws Exception {
        Deque<Supplier<Set<InetAddress>>> answers = new ArrayDeque<>();
        answers.add(Set::of);
        answers.add(() -> {
            throw new IllegalStateException("a host that cannot say");
        });
        answers.add(() -> {
            throw new AssertionError("a host that cannot say either");
        });
        answers.add(() -> Set.of(LOOPBACK));
        List<Channel> opened = new ArrayList<>();
        EmbeddedChannel clock = new EmbeddedChannel();
        clock.freezeTime();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            Bootstrap bootstrap = new Bootstrap()
                    .group(loop)
                    .channelFactory(() -> {
                        Channel socket = new NioDatagramChannel();
                        opened.add(socket);
                        return socket;
                    })
                    .option(AddressSockets.SHARED_PORT, true)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {}
                    });
            AddressSockets sockets =
                    new AddressSockets(bootstrap, 0, () -> answers.remove().get());
            sockets.begin(clock.eventLoop());
            for (int left = 3; left > 0; left--) {
                assertThat(answers).hasSize(left);
                assertThat(opened).isEmpty();
                clock.advanceTimeBy(5, TimeUnit.SECONDS);
                clock.runScheduledPendingTasks();
            }
            assertThat(answers).isEmpty();
            assertThat(opened).hasSize(1);
            sockets.close();
            assertThat(opened.getFirst().isOpen()).isFalse();
        } finally {
            var _ = clock.close();
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** At least these, because other listeners of the process count there too. */
    @Test
    void datagrams_areCountedByWhatBecameOfThem() throws Exception {
        UdpCounts counts = UdpCounts.ofProcess();
        long received = counts.received();
        long answered = counts.answered();
        long tooLong = counts.dropped(UdpCounts.Drop.TOO_LONG);
        long noMessage = counts.dropped(UdpCounts.Drop.NO_MESSAGE);
        long repliesTooLong = counts.repliesTooLong();
        send(1, 513);
        send(2, 7);
        send(3, 40);
        next().reply(RpcMessage.of(ByteBuffer.allocate(180)));
        receive();
        assertThat(counts.received() - received).isGreaterThanOrEqualTo(3);
        assertThat(counts.answered() - answered).isPositive();
        assertThat(counts.dropped(UdpCounts.Drop.TOO_LONG) - tooLong).isPositive();
        assertThat(counts.dropped(UdpCounts.Drop.NO_MESSAGE) - noMessage).isPositive();
        assertThat(counts.repliesTooLong() - repliesTooLong).isPositive();
    }

    /** Otherwise every sender of a datagram would be stored for as long as the server runs. */
    @Test
    void senders_areNotRememberedAsConnections() throws Exception {
        listener.close();
        OncRpcDispatcher dispatcher = new OncRpcDispatcher(Map.of(), Runnable::run, new TransportStatistics(), _ -> {});
        listener = UdpListener.bind(new InetSocketAddress(LOOPBACK, 0), FEW, dispatcher);
        client.close();
        client = new DatagramSocket(0, LOOPBACK);
        client.setSoTimeout(60_000);
        client.connect(listener.localAddress());
        for (int xid = 1; xid <= 3; xid++) {
            send(xid, 40);
            assertThat(receive().getInt()).isEqualTo(xid);
        }
        assertThat(dispatcher.connections()).isEmpty();
    }

    @Test
    void portOfEveryAddress_thatIsTaken_isAnError() throws Exception {
        try (UdpListener first = UdpListener.bind(new InetSocketAddress(0), FEW, _ -> new Collector())) {
            assertThatThrownBy(() -> UdpListener.bind(
                            new InetSocketAddress(first.localAddress().getPort()), FEW, _ -> new Collector()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot listen");
        }
    }

    private static ClientAddress client(int last) throws Exception {
        return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last}));
    }
}
