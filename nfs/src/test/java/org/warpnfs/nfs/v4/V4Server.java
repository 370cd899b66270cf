package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.Gateways;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.FakeDialer;
import org.warpnfs.nfs.testing.OnlyWhatIsAsked;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.recovery.RecoveryLog;
import org.warpnfs.payload.PayloadPool;

/**
 * A server in memory: /data (no_root_squash), /ro (the same files, read-only), /squash (the same files, root_squash).
 */
final class V4Server implements AutoCloseable {
    static final int MIB = 1 << 20;
    static final Duration LEASE = Duration.ofSeconds(90);

    final MemoryFileSystem fs;
    final ExportTable exports;
    final NfsHandles handles;
    final PayloadPool payloads = new PayloadPool(4L * MIB, MIB);
    final FakeDialer dialer = new FakeDialer();
    long nowNanos = 1_000_000_000L;
    private StateLimits limits = StateLimits.forIoOf(MIB);
    private DataServers dataServers = DataServers.NONE;
    private @Nullable RecoveryLog sharedLog;
    private Gateways gateways = Gateways.NONE;
    private long mostReplyBytes = ReplyCache.MAX_BYTES;
    ReplyCache replies;
    private Nfs4Program program;
    LockService locks;
    private @Nullable LockService chosenLocks;
    private final Path stateDirectory;
    private int xid = 1;
    /** Supplementary groups of callers. */
    int[] groups = {};

    V4Server() {
        this(null);
    }

    V4Server(Path stateDirectory) {
        this(stateDirectory, false, memory -> memory);
    }

    /** A server with one export at the root, no_root_squash. */
    static V4Server exportingRoot() {
        return new V4Server(null, true, memory -> memory);
    }

    /** A server with a wrapper around its file system. */
    static V4Server through(UnaryOperator<FileSystem> between) {
        return new V4Server(null, false, between);
    }

    /** A server that exports each path with its own files, no_root_squash; {@link #fs} is not among them. */
    static V4Server exporting(Map<String, FileSystem> files) {
        List<Export> exports = new ArrayList<>();
        files.forEach((path, fileSystem) -> exports.add(Export.of(
                PseudoPath.of(path), fileSystem, ExportOptions.DEFAULTS.withSquash(Squash.NONE), "a directory")));
        return new V4Server(null, new MemoryFileSystem(1 << 20, 100), ExportTable.of(exports));
    }

    /** A server that exports these files at /data, no_root_squash, and may be started again. */
    static V4Server restarting(Path stateDirectory, FileSystem files) {
        return new V4Server(
                stateDirectory,
                new MemoryFileSystem(1 << 20, 100),
                ExportTable.of(List.of(Export.of(
                        PseudoPath.of("/data"),
                        files,
                        ExportOptions.DEFAULTS.withSquash(Squash.NONE),
                        "a directory"))));
    }

    static V4Server of(ExportTable exports) {
        return new V4Server(null, new MemoryFileSystem(1 << 20, 100), exports);
    }

    private V4Server(Path stateDirectory, boolean atRoot, UnaryOperator<FileSystem> between) {
        this(stateDirectory, new MemoryFileSystem(256L << 20, 10_000), atRoot, between);
    }

    private V4Server(Path stateDirectory, MemoryFileSystem memory, boolean atRoot, UnaryOperator<FileSystem> between) {
        this(stateDirectory, memory, table(atRoot, OnlyWhatIsAsked.of(between.apply(memory))));
    }

    private static ExportTable table(boolean atRoot, FileSystem files) {
        ExportOptions options = ExportOptions.DEFAULTS;
        return atRoot
                ? ExportTable.of(
                        List.of(Export.of(PseudoPath.root(), files, options.withSquash(Squash.NONE), "memory")))
                : ExportTable.of(List.of(
                        Export.of(PseudoPath.of("/data"), files, options.withSquash(Squash.NONE), "memory"),
                        Export.of(PseudoPath.of("/ro"), files, options.withReadOnly(true), "memory"),
                        Export.of(PseudoPath.of("/squash"), files, options, "memory")));
    }

    private V4Server(Path stateDirectory, MemoryFileSystem fs, ExportTable exports) {
        this.stateDirectory = stateDirectory;
        this.fs = fs;
        this.exports = exports;
        handles = new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        try {
            fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0777));
        } catch (FsException e) {
            throw new AssertionError(e);
        }
        start();
    }

    /** Starts the program, again after a kill. */
    void start() {
        try {
            replies = new ReplyCache(mostReplyBytes, () -> nowNanos);
            Nfs4Options options =
                    new Nfs4Options(LEASE, LEASE, stateDirectory, MIB, limits, dataServers, sharedLog, gateways);
            locks = chosenLocks == null ? Nfs4Program.locksOf(options) : chosenLocks;
            program = new Nfs4Program(exports, handles, payloads, options, replies, dialer, locks, () -> nowNanos);
            program.setPatience(Duration.ZERO);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts again with other limits. */
    void limit(UnaryOperator<StateLimits> change) {
        limits = change.apply(limits);
        program.close();
        start();
    }

    /** Starts again with another limit of replies that are kept for repeated calls. */
    void limitReplies(long bytes) {
        mostReplyBytes = bytes;
        program.close();
        start();
    }

    /** Starts again among these gateways. */
    V4Server with(Gateways chosen) {
        gateways = chosen;
        program.close();
        start();
        return this;
    }

    /** Starts again with these data servers. */
    V4Server with(DataServers chosen) {
        dataServers = chosen;
        program.close();
        start();
        return this;
    }

    /** Starts again with this lock service, which another protocol may share. */
    V4Server with(LockService service) {
        chosenLocks = service;
        program.close();
        start();
        return this;
    }

    /** Starts again with this recovery log. */
    void with(RecoveryLog log) {
        sharedLog = log;
        program.close();
        start();
    }

    /** A server that exports its files at /data, no_root_squash and with layouts. */
    static V4Server withLayouts(DataServers servers) {
        return withLayouts(null, servers);
    }

    static V4Server withLayouts(Path stateDirectory, DataServers servers) {
        MemoryFileSystem files = new MemoryFileSystem(256L << 20, 10_000);
        return new V4Server(
                        stateDirectory,
                        files,
                        ExportTable.of(List.of(Export.of(
                                PseudoPath.of("/data"),
                                files,
                                ExportPolicy.everyone(ExportOptions.DEFAULTS.withSquash(Squash.NONE)),
                                ExportTraits.DEFAULTS.withLayouts(true),
                                "memory"))))
                .with(servers);
    }

    Nfs4Program program() {
        return program;
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
        dialer.pass(time.toNanos());
    }

    static ReplyKeeper newConnection() {
        return new ReplyKeeper(new InetSocketAddress(InetAddress.getLoopbackAddress(), 900));
    }

    /** A connection from a host of the network 10.0.0.0/24. */
    static ReplyKeeper newConnection(int host, int port) {
        try {
            return new ReplyKeeper(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host}), port));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    byte[] send(byte[] message) {
        return send(newConnection(), message);
    }

    byte[] send(ReplyKeeper connection, byte[] message) {
        try {
            byte[] reply = connection.call(program, message);
            assertThat(reply).as("a reply").isNotNull();
            assertThat(payloads.lentBytes()).as("payloads given back").isZero();
            return reply;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    CallWriter begin(int uid) {
        return CallWriter.call(xid++, Nfs4Program.PROGRAM, Nfs4Program.VERSION, 1)
                .authSys(uid, 100, groups);
    }

    FileHandle newFile(String name, int permissions, byte[] contents) {
        try {
            FileHandle file = fs.create(
                            new Caller(1000, 100, List.of()),
                            fs.root(),
                            FileName.of(name),
                            new CreateMode.Guarded(AttributeChanges.ofPermissions(permissions)))
                    .node()
                    .handle();
            try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
                open.write(ByteBuffer.wrap(contents), 0, Stability.UNSTABLE);
            }
            return file;
        } catch (FsException e) {
            throw new AssertionError(e);
        }
    }

    /** Makes a file in /data that everyone may use. Returns its handle on the wire. */
    byte[] newFile(String name, String contents) {
        FileHandle file = newFile(name, 0666, contents.getBytes(StandardCharsets.US_ASCII));
        return handles.encode(new Location(exports.byPath(PseudoPath.of("/data")), file));
    }

    /** Finds a file by names from the root of the files. */
    FileHandle find(String... path) throws FsException {
        FileHandle at = fs.root();
        for (String name : path) {
            at = fs.lookup(Caller.ROOT, at, FileName.of(name)).handle();
        }
        return at;
    }

    Acls acls(String... path) throws FsException {
        return fs.acls(find(path));
    }

    int permissions(String... path) throws FsException {
        return fs.attributes(find(path)).permissions();
    }

    @Override
    public void close() {
        program.close();
        fs.close();
    }
}
