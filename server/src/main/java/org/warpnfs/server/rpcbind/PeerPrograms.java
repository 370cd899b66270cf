package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.nlm.PeerCall;
import org.warpnfs.nfs.nlm.PeerCalls;

/**
 * Calls programs of clients: the port comes from the client's own rpcbind, over TCP.
 *
 * <h2>Operation</h2>
 *
 * Calls to one client come one after the other, so one that does not answer holds one thread at most, for a few seconds
 * ({@link PeerLine}). A connection is made for each call. Answers to the _MSG procedures have threads of their own:
 * over UDP anybody can ask for them in the name of any address, and GRANTED and SM_NOTIFY must not wait for those.
 *
 * <h2>Errors</h2>
 *
 * A call fails if its client, or all clients together, have too many under way. Safe for any thread.
 */
public final class PeerPrograms implements PeerCalls, AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final Duration WHOLE = Duration.ofSeconds(6);
    private static final int PORTMAPPER = 111;
    private static final int RPCB_VERSION = 4;
    private static final int GETADDR = 3;
    private static final int PMAP_VERSION = 2;
    private static final int GETPORT = 3;
    private static final int IPV4_BYTES = 4;

    /** A client that does not answer holds one for a few seconds; the hosts of one client hold half of them at most. */
    private static final int TELLING_THREADS = 8;
    /** A GRANTED and an SM_NOTIFY for each of the 4096 clients that are monitored. */
    private static final int MOST_TELLING = 8192;
    /** One that runs and 256 that wait, so that one host leaves nearly all of the room to others. */
    private static final int MOST_TELLING_ONE = 1 + 256;

    /** Linux clients ask for no answers by _MSG procedures, and anybody else can in the name of any address. */
    private static final int ANSWERING_THREADS = 2;
    /** An answer that was not sent is asked for again, so little room will do. */
    private static final int MOST_ANSWERING = 256;
    /** One that runs and 16 that wait: a fifteenth of the room. */
    private static final int MOST_ANSWERING_ONE = 1 + 16;

    private final int portmapper;
    private final PeerLine told =
            new PeerLine("peer-", TELLING_THREADS, MOST_TELLING, MOST_TELLING_ONE, this::exchange);
    private final PeerLine answered =
            new PeerLine("peer-answer-", ANSWERING_THREADS, MOST_ANSWERING, MOST_ANSWERING_ONE, this::exchange);
    private final ScheduledExecutorService timer;
    /** Few at once: NLM has one task for each kind of its own I/O. */
    private final ExecutorService tasks = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("nlm-", 0).factory());

    public PeerPrograms() {
        this(PORTMAPPER);
    }

    /** @param portmapper the port of the clients' portmappers */
    PeerPrograms(int portmapper) {
        this.portmapper = portmapper;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("peer-timer").factory());
    }

    @Override
    public CompletionStage<ByteBuffer> call(PeerCall call) {
        return told.call(call);
    }

    @Override
    public CompletionStage<ByteBuffer> answer(PeerCall call) {
        return answered.call(call);
    }

    private ByteBuffer exchange(PeerCall call) throws IOException {
        boolean udp = call.udp();
        int port = port(call, udp);
        if (port == 0) {
            udp = !udp;
            port = port(call, udp);
        }
        if (port == 0) {
            throw new IOException("program " + call.program() + " is not registered at its rpcbind");
        }
        RpcCallMessage message = new RpcCallMessage(call.program(), call.version(), call.procedure())
                .bytes(call.arguments().toBytes());
        InetSocketAddress server = new InetSocketAddress(call.host(), port);
        byte[] reply = udp
                ? DatagramExchange.call(server, call.from(), message.toBytes(), message.xid(), WHOLE)
                : callOnce(server, call.from(), message);
        return new RpcReplyMessage(reply, message.xid()).rest();
    }

    private static byte[] callOnce(InetSocketAddress server, @Nullable InetAddress from, RpcCallMessage message)
            throws IOException {
        try (RecordExchange exchange = RecordExchange.connect(server, from, LIMIT, WHOLE)) {
            return exchange.call(message.toBytes());
        }
    }

    /** The port of the program; 0 if it is not registered for this transport. */
    private int port(PeerCall call, boolean udp) throws IOException {
        InetSocketAddress rpcbind = new InetSocketAddress(call.host(), portmapper);
        boolean ipv4 = call.host().getAddress().length == IPV4_BYTES;
        Netid netid = Netid.of(udp ? "udp" : "tcp", !ipv4);
        try (RecordExchange exchange = RecordExchange.connect(rpcbind, call.from(), LIMIT, WHOLE)) {
            if (ipv4) {
                RpcCallMessage asked = new RpcCallMessage(PortmapProgram.PROGRAM, PMAP_VERSION, GETPORT)
                        .word(call.program())
                        .word(call.version())
                        .word(netid.portmapProtocol())
                        .word(0);
                int port = new RpcReplyMessage(exchange.call(asked.toBytes()), asked.xid()).word();
                return port >>> Short.SIZE == 0 ? port : 0;
            }
            RpcCallMessage asked = new RpcCallMessage(PortmapProgram.PROGRAM, RPCB_VERSION, GETADDR)
                    .mapping(new Mapping(call.program(), call.version(), netid.id(), "", ""));
            String address = new RpcReplyMessage(exchange.call(asked.toBytes()), asked.xid()).string();
            // Only the port is taken from it: a client names no other host.
            return UniversalAddress.parse(address)
                    .map(InetSocketAddress::getPort)
                    .orElse(0);
        }
    }

    @Override
    public void after(long delayNanos, Runnable task) {
        try {
            var _ = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The server ends, and its tasks with it.
            return;
        }
    }

    @Override
    public void execute(Runnable task) {
        try {
            tasks.execute(task);
        } catch (RejectedExecutionException e) {
            // The server ends, and its tasks with it.
            return;
        }
    }

    /** Ends all calls and timers. */
    @Override
    public void close() {
        timer.shutdownNow();
        tasks.shutdown();
        told.close();
        answered.close();
    }
}
