package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.locks.BackendLocking;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.NlmClient;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.testing.ReplyReader;

/** NLM and NSM over a file system in memory with a file that everybody may read and write. Calls are words. */
final class NlmBench implements PeerCalls {
    static final int CLIENT = 2;
    static final int OTHER = 3;
    /** A port of the superuser, and one that any user of a client can have. */
    static final int PRIVILEGED = 700;

    static final int ANYBODYS = 40_000;
    static final long GRACE_NANOS = Duration.ofSeconds(30).toNanos();

    final FileSystem fs;
    final List<Runnable> notices = new ArrayList<>();
    final List<PeerCall> calls = new ArrayList<>();
    final Queue<CompletableFuture<ByteBuffer>> answers = new ArrayDeque<>();
    final List<Runnable> timers = new ArrayList<>();
    final List<Runnable> work = new ArrayList<>();
    /** Runs what waits for a disk. */
    Executor executor = Runnable::run;

    final LockService service = new LockService(100, notices::add, BackendLocking.on(work::add, 100));
    final FileHandle file;
    final NfsHandles handles;
    final NlmServer server;
    final Export export;
    boolean otherGrace;
    /** Whether clients of another protocol may reclaim, in place of {@link #otherGrace}. */
    BooleanSupplier otherRecovery = () -> otherGrace;
    /** False while another gateway of the cluster may still grant what clients of this one had. */
    BooleanSupplier ownReclaims = () -> true;
    /** Happens when a request has been admitted and its lock has not been taken. */
    Runnable beforeLock = () -> {};
    /** What an open of NFSv4 denies, and has. */
    int openDenies;

    int openHas;
    long nowNanos;
    /** The port that calls come from. */
    int port = PRIVILEGED;

    /** How many of the calls were answers. */
    int answersSent;

    NlmBench() {
        this((Path) null, ExportOptions.DEFAULTS);
    }

    NlmBench(Path directory, ExportOptions options) {
        this(new MemoryFileSystem(1 << 20, 100), directory, options);
    }

    NlmBench(ExportTraits traits) {
        this(new MemoryFileSystem(1 << 20, 100), (NsmStore) null, ExportOptions.DEFAULTS, traits);
    }

    NlmBench(FileSystem fs, Path directory, ExportOptions options) {
        this(fs, directory, options, ExportTraits.DEFAULTS);
    }

    /** Monitored clients are remembered in {@code store}. */
    NlmBench(NsmStore store) {
        this(new MemoryFileSystem(1 << 20, 100), store, ExportOptions.DEFAULTS, ExportTraits.DEFAULTS);
    }

    private NlmBench(FileSystem fs, Path directory, ExportOptions options, ExportTraits traits) {
        this(fs, storeIn(directory), options, traits);
    }

    private static NsmStore storeIn(Path directory) {
        try {
            return directory == null ? null : DirectoryNsmStore.open(directory);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A server with these limits, for that many files. */
    NlmBench(NlmLimits limits, int files) {
        this(new MemoryFileSystem(64 << 20, files), null, ExportOptions.DEFAULTS, ExportTraits.DEFAULTS, limits);
    }

    private NlmBench(FileSystem fs, NsmStore store, ExportOptions options, ExportTraits traits) {
        this(fs, store, options, traits, new NlmLimits(100, 10, 10));
    }

    private NlmBench(FileSystem fs, NsmStore store, ExportOptions options, ExportTraits traits, NlmLimits limits) {
        this.fs = fs;
        try {
            file = fs.create(
                            Caller.ROOT,
                            fs.root(),
                            FileName.of("file"),
                            new CreateMode.Unchecked(AttributeChanges.ofPermissions(0666)))
                    .node()
                    .handle();
            export = Export.of(PseudoPath.of("/"), fs, ExportPolicy.everyone(options), traits, "memory");
            ExportTable exports = ExportTable.of(List.of(export));
            handles = new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
            server = new NlmServer(
                    exports,
                    handles,
                    service,
                    limits,
                    store,
                    Duration.ofNanos(GRACE_NANOS),
                    new OtherPrograms(
                            _ -> false,
                            () -> otherGrace,
                            () -> otherRecovery.getAsBoolean(),
                            () -> ownReclaims.getAsBoolean(),
                            this,
                            this::begin,
                            this::reserve),
                    CallRecorder.NONE,
                    () -> nowNanos);
        } catch (IOException | FsException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public CompletionStage<ByteBuffer> call(PeerCall call) {
        calls.add(call);
        CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    }

    @Override
    public CompletionStage<ByteBuffer> answer(PeerCall call) {
        answersSent++;
        return call(call);
    }

    private FileChanges.Change begin(FileIdentity changed) {
        beforeLock.run();
        return () -> {};
    }

    private boolean reserve(FileIdentity shared, int access, int deny, Runnable then) {
        if (!shared.equals(identity()) || (access & openDenies) != 0 || (deny & openHas) != 0) {
            return false;
        }
        then.run();
        return true;
    }

    @Override
    public void after(long delayNanos, Runnable task) {
        timers.add(task);
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    void runNotices() {
        List.copyOf(notices).forEach(notice -> {
            notices.remove(notice);
            notice.run();
        });
    }

    void runTimers() {
        List.copyOf(timers).forEach(timer -> {
            timers.remove(timer);
            timer.run();
        });
    }

    FileIdentity identity() {
        return fs.identity(file);
    }

    /** Makes another file and returns its handle. */
    byte[] newFile(String name) throws FsException {
        return handles.encode(new Location(
                export,
                fs.create(
                                Caller.ROOT,
                                fs.root(),
                                FileName.of(name),
                                new CreateMode.Unchecked(AttributeChanges.ofPermissions(0666)))
                        .node()
                        .handle()));
    }

    byte[] handle() {
        return handles.encode(new Location(export, file));
    }

    ReplyReader send(RpcDispatchable program, int lastOctet, byte[] message) {
        return new ReplyReader(sendFrom(port, program, lastOctet, message));
    }

    static byte[] sendRaw(RpcDispatchable program, int lastOctet, byte[] message) {
        return sendFrom(PRIVILEGED, program, lastOctet, message);
    }

    private static byte[] sendFrom(int port, RpcDispatchable program, int lastOctet, byte[] message) {
        try {
            InetAddress client = InetAddress.getByAddress(new byte[] {10, 9, 0, (byte) lastOctet});
            return ReplyKeeper.call(program, new InetSocketAddress(client, port), message);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static CallWriter nlm(int procedure) {
        return NlmClient.begin(procedure);
    }

    static int lastWord(byte[] result) {
        return ByteBuffer.wrap(result).getInt(result.length - Integer.BYTES);
    }

    private CallWriter lockOf(CallWriter call, String owner, long offset, long length) {
        return NlmClient.lockOf(call, handle(), owner, offset, length);
    }

    static NlmStatus statusOf(int code) {
        return Arrays.stream(NlmStatus.values())
                .filter(status -> status.code() == code)
                .findFirst()
                .orElseThrow();
    }

    private int status(int lastOctet, CallWriter call) {
        return NlmClient.statusOf(send(server.nlm(), lastOctet, call.toBytes()));
    }

    NlmStatus lock(int client, String owner, boolean block, boolean exclusive, long offset, long length) {
        return lock(client, owner, block, exclusive, false, offset, length);
    }

    NlmStatus lock(
            int client, String owner, boolean block, boolean exclusive, boolean reclaim, long offset, long length) {
        CallWriter call = nlm(NlmProgram.LOCK).words(block ? 1 : 0, exclusive ? 1 : 0);
        lockOf(call, owner, offset, length).words(reclaim ? 1 : 0, 3);
        return statusOf(status(client, call));
    }

    private CallWriter lockOf(CallWriter call, String name, String handle, int process) {
        return call.string(name)
                .opaque(handle())
                .string(handle)
                .words(process)
                .hyper(0)
                .hyper(10);
    }

    /** Locks the first ten bytes for writing, as a process of a client of that name. */
    NlmStatus lockAs(int client, String name, String handle, int process) {
        CallWriter call = nlm(NlmProgram.LOCK).words(0, 1);
        lockOf(call, name, handle, process).words(0, 3);
        return statusOf(status(client, call));
    }

    NlmStatus unlockAs(int client, String name, String handle, int process) {
        return statusOf(status(client, lockOf(nlm(NlmProgram.UNLOCK), name, handle, process)));
    }

    /** Locks a byte for reading as a client of that name. */
    NlmStatus lockAs(int client, String name, long offset) {
        CallWriter call = nlm(NlmProgram.LOCK)
                .words(0, 0)
                .string(name)
                .opaque(handle())
                .string("a")
                .words(1)
                .hyper(offset)
                .hyper(1)
                .words(0, 1);
        return statusOf(lastWord(sendFrom(port, server.nlm(), client, call.toBytes())));
    }

    /** NM_LOCK: the client is not monitored. */
    NlmStatus unmonitoredLock(int client, String owner, long offset, long length) {
        CallWriter call = nlm(NlmProgram.NM_LOCK).words(0, 1);
        lockOf(call, owner, offset, length).words(0, 3);
        return statusOf(status(client, call));
    }

    NlmStatus unlock(int client, String owner, long offset, long length) {
        return statusOf(status(client, lockOf(nlm(NlmProgram.UNLOCK), owner, offset, length)));
    }

    NlmStatus cancel(int client, String owner, long offset, long length) {
        return statusOf(status(client, lockOf(nlm(NlmProgram.CANCEL).words(1, 1), owner, offset, length)));
    }

    NlmStatus test(int client, String owner, long offset, long length) {
        return statusOf(status(client, lockOf(nlm(NlmProgram.TEST).words(1), owner, offset, length)));
    }

    NlmStatus share(int client, String owner, int deny, int access, boolean isShare) {
        return share(client, owner, deny, access, isShare, false);
    }

    NlmStatus share(int client, String owner, int deny, int access, boolean isShare, boolean reclaim) {
        CallWriter call = nlm(isShare ? NlmProgram.SHARE : NlmProgram.UNSHARE)
                .string("client.lab")
                .opaque(handle())
                .string(owner)
                .words(deny, access, reclaim ? 1 : 0);
        return statusOf(status(client, call));
    }

    /** nlm4_res as a client sends it. */
    static ByteBuffer answer(NlmStatus status) {
        return ByteBuffer.allocate(12)
                .putInt(2)
                .putInt(0x0a0b0000)
                .putInt(status.code())
                .flip();
    }

    void freeAll(int client, String name) {
        byte[] message = CallWriter.call(7, NlmProgram.PROGRAM, NlmProgram.VERSION, NlmProgram.FREE_ALL)
                .authSys(0, 0)
                .string(name)
                .words(1)
                .toBytes();
        if (send(server.nlm(), client, message).stat() != ReplyReader.SUCCESS) {
            throw new AssertionError("FREE_ALL was not accepted");
        }
    }

    void notifyRestart(int client, String name, int state) {
        byte[] message = CallWriter.call(9, NsmProgram.PROGRAM, 1, NsmProgram.SM_NOTIFY)
                .authNone()
                .string(name)
                .words(state)
                .toBytes();
        if (send(server.nsm(), client, message).stat() != ReplyReader.SUCCESS) {
            throw new AssertionError("SM_NOTIFY was not accepted");
        }
    }
}
