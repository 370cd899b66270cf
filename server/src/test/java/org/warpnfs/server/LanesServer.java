package org.warpnfs.server;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.SyncWaits;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.v3.Nfs3Options;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.Nfs3Server;
import org.warpnfs.nfs.v4.Nfs4Options;
import org.warpnfs.nfs.v4.Nfs4Program;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.oncrpc.OncRpcDispatcher;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The programs, the operation threads and the memory of a server, without sockets. Each connection has an address that
 * the test chooses, and keeps its replies until the test releases them. Syncs of files wait at a gate while it is shut.
 */
final class LanesServer implements AutoCloseable {
    static final int MIB = 1 << 20;
    static final int UID = 1000;
    static final int THREADS = 4;

    final PayloadPool pool = new PayloadPool(4L * MIB, MIB);
    final OperationThreads threads = new OperationThreads(THREADS);
    /** Has one permit for each sync that has arrived at the gate. */
    final Semaphore syncsBegun = new Semaphore(0);
    /** The operations on files, each with the thread that ran it. */
    final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    /** The reply bytes that calls said they held when they left their thread. */
    final List<Long> held = Collections.synchronizedList(new ArrayList<>());

    volatile long mostHeldBytes = Long.MAX_VALUE;

    /** The longest range that connections take. */
    volatile int maxRangeBytes;

    /** True if files are in the page cache, so that they are given as ranges. */
    volatile boolean cached;

    /** Ranges that have been given and not closed. */
    final AtomicInteger ranges = new AtomicInteger();

    /** Told of the waits at the gate. */
    volatile SyncWaits syncWaits = SyncWaits.UNCOUNTED;

    /** True if the backend has a bug: its syncs throw an exception that no file system may throw. */
    volatile boolean broken;

    private volatile CountDownLatch gate = new CountDownLatch(0);
    /** Lends nothing, so that READs take payload memory. */
    private final MemoryFileSystem fs = MemoryFileSystem.oneOf(1, 64L * MIB, 1000, false);

    private final NfsHandles handles;
    private final Export export;
    private final Nfs4Program nfs4;
    private final TcpCallbackDialer dialer =
            new TcpCallbackDialer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final OncRpcDispatcher dispatcher;
    private int xid = 1;

    LanesServer() throws Exception {
        FileSystem gated = (FileSystem) watched(FileSystem.class, fs);
        export = Export.of(PseudoPath.root(), gated, ExportOptions.DEFAULTS.withSquash(Squash.NONE), "memory");
        ExportTable exports = ExportTable.of(List.of(export));
        handles = new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        ReplyCache replies = new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime);
        nfs4 = new Nfs4Program(
                exports,
                handles,
                pool,
                new Nfs4Options(Duration.ofSeconds(90), Duration.ofSeconds(90), null, MIB),
                replies,
                dialer);
        Nfs3Program nfs3 =
                new Nfs3Program(new Nfs3Server(exports, handles, pool, Nfs3Options.of(7), nfs4.fileChanges(), replies));
        dispatcher = new OncRpcDispatcher(
                Map.of(
                        new OncRpcProgram(Nfs3Program.PROGRAM, Nfs3Program.VERSION),
                        nfs3,
                        new OncRpcProgram(Nfs4Program.PROGRAM, Nfs4Program.VERSION),
                        nfs4),
                threads,
                new TransportStatistics(),
                nfs4::connectionClosed);
        fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0777));
    }

    private Object watched(Class<?> type, Object target) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                switch (method.getName()) {
                    case "sync" -> {
                        seen.add("sync on " + Thread.currentThread().getName());
                        CountDownLatch shut = gate;
                        boolean begun = syncWaits.begin();
                        try {
                            syncsBegun.release();
                            shut.await();
                        } finally {
                            syncWaits.end(begun);
                        }
                        if (broken) {
                            throw new IllegalStateException("broken\nERROR forged");
                        }
                    }
                    case "write" ->
                        seen.add("write on " + Thread.currentThread().getName());
                    case "range" -> {
                        return cached ? Optional.of(new Letters((int) arguments[1])) : Optional.empty();
                    }
                    default -> {}
                }
                Object result = method.invoke(target, arguments);
                return result instanceof OpenFile file ? watched(OpenFile.class, file) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, handler);
    }

    /** A range of a file that {@link #newFile} made. */
    private final class Letters implements CachedRange {
        private final int lengthBytes;

        Letters(int lengthBytes) {
            this.lengthBytes = lengthBytes;
            ranges.incrementAndGet();
        }

        @Override
        public int lengthBytes() {
            return lengthBytes;
        }

        @Override
        public Object store() {
            return fs;
        }

        @Override
        public boolean isCached(int from, int length) {
            return true;
        }

        @Override
        public int read(int from, ByteBuffer sink) {
            int got = sink.remaining();
            while (sink.hasRemaining()) {
                sink.put((byte) 'x');
            }
            return got;
        }

        @Override
        public int sendTo(int socket, int from, int length) {
            throw new AssertionError("there is no socket");
        }

        @Override
        public void close() {
            ranges.decrementAndGet();
        }
    }

    void shutGate() {
        gate = new CountDownLatch(1);
    }

    void openGate() {
        gate.countDown();
    }

    /** Makes a file of {@code lengthBytes} bytes in the root. */
    byte[] newFile(String name, int lengthBytes) throws Exception {
        FileHandle file = fs.create(
                        new Caller(UID, UID, List.of()),
                        fs.root(),
                        FileName.of(name),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(0666)))
                .node()
                .handle();
        byte[] letters = new byte[lengthBytes];
        Arrays.fill(letters, (byte) 'x');
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(letters), 0, Stability.UNSTABLE);
        }
        return handles.encode(new Location(export, file));
    }

    NfsCall nfs3(int procedure) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, UID);
    }

    NfsCall compound(int minorVersion, int operations) {
        return NfsCall.of(xid++, NfsCall.NFS, 4, 1, UID)
                .string("")
                .word(minorVersion)
                .word(operations);
    }

    static NfsCall sequence(NfsCall compound, byte[] session, int seqid) {
        ByteBuffer id = ByteBuffer.wrap(session);
        return compound.word(53)
                .hyper(id.getLong())
                .hyper(id.getLong())
                .word(seqid)
                .word(0)
                .word(0)
                .word(1);
    }

    Peer connect(int lastOctet) throws Exception {
        return new Peer(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) lastOctet}));
    }

    @Override
    public void close() {
        openGate();
        threads.close();
        nfs4.close();
        dialer.close();
        fs.close();
    }

    /** The connection of a client. */
    final class Peer implements RpcConnection {
        private final InetAddress address;
        private final InboundHandler handler;
        private volatile boolean open = true;

        Peer(InetAddress address) {
            this.address = address;
            this.handler = dispatcher.opened(this);
        }

        /** Sends a call. Its reply holds memory until it is released. The future fails if the call is dropped. */
        CompletableFuture<RpcMessage> send(NfsCall call) {
            CompletableFuture<RpcMessage> reply = new CompletableFuture<>();
            XdrStream arguments = XdrStream.of(call.message().flatten());
            handler.call(new InboundCall() {
                @Override
                public XdrStream arguments() {
                    return arguments;
                }

                @Override
                public int maxRangeBytes() {
                    return maxRangeBytes;
                }

                @Override
                public boolean holds(long replyBytes) {
                    held.add(replyBytes);
                    return replyBytes <= mostHeldBytes;
                }

                @Override
                public void reply(RpcMessage message) {
                    if (!open) {
                        message.release();
                    }
                    if (!reply.complete(message)) {
                        throw new IllegalStateException("a call ended twice");
                    }
                }

                @Override
                public void drop() {
                    if (!reply.completeExceptionally(new IllegalStateException("dropped"))) {
                        throw new IllegalStateException("a call ended twice");
                    }
                }
            });
            return reply;
        }

        /** Sends a call and reads its results. */
        ByteBuffer call(NfsCall call) throws Exception {
            return results(send(call));
        }

        /** Ends the connection. */
        void end() {
            open = false;
            handler.closed();
        }

        byte[] newSession(String owner) throws Exception {
            ByteBuffer id = call(compound(1, 1)
                    .word(42)
                    .hyper(1)
                    .string(owner)
                    .word(0)
                    .word(0)
                    .word(0));
            NfsCall create = compound(1, 1)
                    .word(43)
                    .hyper(id.getLong(20))
                    .word(id.getInt(28))
                    .word(0);
            for (int channel = 0; channel < 2; channel++) {
                create.word(0)
                        .word(2 * MIB)
                        .word(2 * MIB)
                        .word(65536)
                        .word(16)
                        .word(4)
                        .word(0);
            }
            ByteBuffer created = call(create.word(0x4000_0000).word(1).word(0));
            byte[] session = new byte[16];
            created.get(20, session);
            call(sequence(compound(1, 2), session, 1).word(58).word(0));
            return session;
        }

        @Override
        public InetSocketAddress localAddress() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 2049);
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return new InetSocketAddress(address, 900);
        }

        @Override
        public boolean open() {
            return open;
        }

        @Override
        public void abort(String reason) {
            open = false;
        }

        @Override
        public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
            call.release();
            sent.accept("no way back");
        }
    }

    /** Waits for a reply, releases its memory and skips the RPC header. */
    static ByteBuffer results(CompletableFuture<RpcMessage> reply) throws Exception {
        return NfsCall.results(reply.get(60, TimeUnit.SECONDS).flatten()).slice();
    }
}
