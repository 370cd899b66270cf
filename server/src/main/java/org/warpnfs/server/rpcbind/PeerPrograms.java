package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
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
 * {@value #THREADS} threads make the calls. Calls to one client come one after the other, so one that does not answer
 * holds one thread at most, for a few seconds. A connection is made for each call.
 *
 * <h2>Errors</h2>
 *
 * A call fails if the client has {@value #MAX_QUEUED_BY_CLIENT} others waiting, or all clients together
 * {@value #MAX_QUEUED}. Safe for any thread.
 */
public final class PeerPrograms implements PeerCalls, AutoCloseable {
    private static final int THREADS = 8;
    private static final int MAX_QUEUED = 4096;
    private static final int MAX_QUEUED_BY_CLIENT = 256;
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final Duration WHOLE = Duration.ofSeconds(6);
    private static final int PORTMAPPER = 111;
    private static final int RPCB_VERSION = 4;
    private static final int GETADDR = 3;
    private static final int PMAP_VERSION = 2;
    private static final int GETPORT = 3;
    private static final int IPV4_BYTES = 4;

    private final int portmapper;
    private final ExecutorService threads;
    private final ScheduledExecutorService timer;

    /** Guarded by this, like the next: the calls of each client that wait for one under way. */
    private final Map<InetAddress, Queue<Asked>> queues = new HashMap<>();

    private int queued;

    private record Asked(PeerCall call, CompletableFuture<ByteBuffer> answer) {}

    public PeerPrograms() {
        this(PORTMAPPER);
    }

    /** @param portmapper the port of the clients' portmappers */
    PeerPrograms(int portmapper) {
        this.portmapper = portmapper;
        this.threads = Executors.newFixedThreadPool(
                THREADS, Thread.ofPlatform().daemon().name("peer-", 0).factory());
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("peer-timer").factory());
    }

    @Override
    public CompletionStage<ByteBuffer> call(PeerCall call) {
        Asked asked = new Asked(call, new CompletableFuture<>());
        synchronized (this) {
            Queue<Asked> queue = queues.get(call.host());
            if (queued >= MAX_QUEUED || (queue != null && queue.size() >= MAX_QUEUED_BY_CLIENT)) {
                return CompletableFuture.failedFuture(new IOException("too many calls to it wait already"));
            }
            if (queue != null) {
                queued++;
                queue.add(asked);
                return asked.answer();
            }
            queues.put(call.host(), new ArrayDeque<>(1));
        }
        begin(asked);
        return asked.answer();
    }

    private void begin(Asked asked) {
        try {
            threads.execute(() -> make(asked));
        } catch (RejectedExecutionException e) {
            asked.answer().completeExceptionally(new IOException("the server ends"));
        }
    }

    private void make(Asked asked) {
        try {
            asked.answer().complete(exchange(asked.call()));
        } catch (IOException | RuntimeException e) {
            asked.answer().completeExceptionally(e);
        } finally {
            Asked next;
            synchronized (this) {
                InetAddress host = asked.call().host();
                Queue<Asked> queue = queues.get(host);
                next = queue == null ? null : queue.poll();
                if (next == null) {
                    queues.remove(host);
                } else {
                    queued--;
                }
            }
            if (next != null) {
                begin(next);
            }
        }
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

    /** Ends all calls and timers. */
    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdownNow();
    }
}
