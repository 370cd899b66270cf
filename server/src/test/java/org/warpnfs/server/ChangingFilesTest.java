package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.server.config.DataPath;
import org.warpnfs.server.config.DataPath.OnOff;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/**
 * Files that are cut, punched, overwritten and removed while they are read. Replies stay well formed, their data have
 * the length that was announced, and each byte is old, new or zero. Nothing stays open or held.
 */
@Timeout(240)
class ChangingFilesTest {
    private static final int FILE_BYTES = 2 << 20;
    private static final int READ_BYTES = 1 << 20;
    private static final int ROUNDS = 60;
    private static final int AT_ONCE = 4;
    private static final int SLOW_CALLS = 8;
    private static final int UNTOUCHED = 0x55;
    private static final int OK = 0;
    private static final int STALE = 70;
    private static final int JUKEBOX = 10008;
    private static final long WAIT_SECONDS = 60;

    /** How the files are read, and whether they lie in memory. */
    enum Way {
        TCP(OnOff.ON, CrcPolicy.OFF, true),
        TCP_WITH_DISK(OnOff.ON, CrcPolicy.OFF, false),
        TCP_WITHOUT_SPLICE(OnOff.OFF, CrcPolicy.OFF, true),
        RDMA(OnOff.ON, CrcPolicy.OFF, true),
        RDMA_WITH_DISK(OnOff.ON, CrcPolicy.OFF, false),
        RDMA_WITH_CRC(OnOff.ON, CrcPolicy.ON, true),
        RDMA_WITH_CRC_AND_DISK(OnOff.ON, CrcPolicy.ON, false),
        RDMA_WITH_CRC_WITHOUT_SPLICE(OnOff.OFF, CrcPolicy.ON, true);

        final OnOff splice;
        final CrcPolicy crc;
        final boolean inMemory;

        Way(OnOff splice, CrcPolicy crc, boolean inMemory) {
            this.splice = splice;
            this.crc = crc;
            this.inMemory = inMemory;
        }

        boolean isTcp() {
            return name().startsWith("TCP");
        }
    }

    @TempDir
    private Path onDisk;

    private Path inMemory;
    private Path directory;
    private int xid = 1;

    @BeforeEach
    void makeMemory() throws IOException {
        Path shared = Path.of("/dev/shm");
        inMemory = Files.isWritable(shared) ? Files.createTempDirectory(shared, "warpnfs-test") : onDisk;
    }

    @AfterEach
    void removeMemory() throws IOException {
        try (Stream<Path> all = Files.walk(inMemory)) {
            all.sorted((a, b) -> b.compareTo(a)).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private WarpServer serve(Way way) throws Exception {
        directory = Files.createDirectories((way.inMemory ? inMemory : onDisk).resolve("files"));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return WarpServer.start(new ServerConfig(
                        List.of(ExportSpec.parse(directory + ":/,no_root_squash")),
                        Backend.LOCAL,
                        16 << 20,
                        any,
                        any,
                        onDisk.resolve("state"),
                        RdmaChoices.DEFAULT.withCrc(way.crc),
                        Duration.ofSeconds(5),
                        4,
                        16 << 20,
                        Duration.ofSeconds(5),
                        IdentityChoices.DEFAULT)
                .withDataPath(new DataPath(way.splice, OnOff.ON)));
    }

    // The change of files

    private void fill(Path file, char value) throws IOException {
        byte[] bytes = String.valueOf(value).repeat(FILE_BYTES).getBytes(StandardCharsets.US_ASCII);
        Files.write(file, bytes);
    }

    /** Changes a file in one of many ways until told to stop. Once in a while another file takes its name. */
    private void change(Path file, AtomicBoolean stop, Random random) {
        try {
            while (!stop.get()) {
                switch (random.nextInt(6)) {
                    case 0 -> cut(file, random.nextInt(FILE_BYTES));
                    case 1 -> punch(file, random.nextInt(FILE_BYTES / 2));
                    case 2 -> Files.delete(file);
                    default -> fill(file, random.nextBoolean() ? 'a' : 'b');
                }
                if (Files.notExists(file)) {
                    fill(file, 'a');
                }
            }
        } catch (IOException | ErrnoException e) {
            throw new AssertionError(e);
        }
    }

    private static void cut(Path file, int lengthBytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(lengthBytes);
        }
    }

    private static void punch(Path file, int offset) throws ErrnoException {
        try (Fd fd = OpenCalls.open(file.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDWR)) {
            int mode = DataCalls.FALLOC_FL_PUNCH_HOLE | DataCalls.FALLOC_FL_KEEP_SIZE;
            DataCalls.allocate(fd, mode, offset, FILE_BYTES / 3);
        }
    }

    private long descriptors() throws IOException {
        long open = 0;
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : all.toList()) {
                try {
                    open += Files.readSymbolicLink(descriptor).startsWith(directory) ? 1 : 0;
                } catch (NoSuchFileException e) {
                    // It has been closed meanwhile.
                }
            }
        }
        return open;
    }

    // The clients

    private NfsCall nfs(int procedure) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, 0);
    }

    private byte[] root(WarpServer server) throws IOException {
        ByteBuffer results =
                NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(results.getInt()).isEqualTo(OK);
        return NfsCall.opaque(results);
    }

    /** LOOKUP3; null while the file does not exist. */
    private byte[] lookup(WarpServer server, byte[] root) throws IOException {
        ByteBuffer results = nfs(3).opaque(root).string("file").overTcp(server.tcpAddress());
        return results.getInt() == OK ? NfsCall.opaque(results) : null;
    }

    private NfsCall read(byte[] file, int offset) {
        return nfs(6).opaque(file).hyper(offset).word(READ_BYTES);
    }

    /**
     * Checks READ3res up to the data, and returns their count; -1 if the file is gone. For a handle of a file that is
     * being removed, ext4 says now and then that it has no memory for the inode, which becomes JUKEBOX.
     */
    private static int count(ByteBuffer results) {
        int status = results.getInt();
        if (status == STALE || status == JUKEBOX) {
            return -1;
        }
        assertThat(status).isEqualTo(OK);
        assertThat(results.getInt()).isEqualTo(1);
        results.position(results.position() + 84);
        int count = results.getInt();
        assertThat(count).isBetween(0, READ_BYTES);
        results.getInt();
        assertThat(results.getInt()).isEqualTo(count);
        return count;
    }

    private static void checkData(ByteBuffer data) {
        while (data.hasRemaining()) {
            byte value = data.get();
            if (value != 'a' && value != 'b' && value != 0) {
                throw new AssertionError("byte " + value + " at " + (data.position() - 1));
            }
        }
    }

    private static void send(DataOutputStream out, NfsCall call) throws IOException {
        byte[] bytes = new byte[(int) call.message().lengthBytes()];
        call.message().flatten().get(bytes);
        out.writeInt(0x8000_0000 | bytes.length);
        out.write(bytes);
    }

    private void readOverTcp(WarpServer server, byte[] root) throws IOException {
        Random random = new Random(5);
        try (Socket socket =
                new Socket(server.tcpAddress().getAddress(), server.tcpAddress().getPort())) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int round = 0; round < ROUNDS; round++) {
                byte[] file = lookup(server, root);
                for (int i = 0; file != null && i < AT_ONCE; i++) {
                    send(out, read(file, random.nextInt(FILE_BYTES)));
                }
                for (int i = 0; file != null && i < AT_ONCE; i++) {
                    byte[] record = new byte[in.readInt() & 0x7fff_ffff];
                    in.readFully(record);
                    ByteBuffer results = NfsCall.results(ByteBuffer.wrap(record));
                    int count = count(results);
                    if (count >= 0) {
                        assertThat(results.remaining()).isEqualTo(count + (-count & 3));
                        checkData(results.limit(results.position() + count));
                    }
                }
            }
        }
    }

    private void readOverRdma(WarpServer server, byte[] root) throws Exception {
        Random random = new Random(6);
        try (IwarpTransport transport = new IwarpTransport();
                RpcRdmaRequester client = RpcRdmaRequester.connect(
                                transport.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, call -> call)
                        .get(WAIT_SECONDS, TimeUnit.SECONDS)) {
            for (int round = 0; round < ROUNDS; round++) {
                byte[] file = lookup(server, root);
                List<ByteBuffer> sinks = new ArrayList<>();
                List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
                for (int i = 0; file != null && i < AT_ONCE; i++) {
                    ByteBuffer sink = ByteBuffer.allocateDirect(READ_BYTES);
                    while (sink.hasRemaining()) {
                        sink.put((byte) UNTOUCHED);
                    }
                    sinks.add(sink.clear());
                    NfsCall call = read(file, random.nextInt(FILE_BYTES));
                    replies.add(client.call(call.message(), ChunkOffer.write(sink.duplicate())));
                }
                for (int i = 0; i < replies.size(); i++) {
                    RequesterReply reply = replies.get(i).get(WAIT_SECONDS, TimeUnit.SECONDS);
                    int count = count(NfsCall.results(reply.message()));
                    ByteBuffer sink = sinks.get(i);
                    checkData(sink.duplicate().limit(Math.max(0, count)));
                    sink.position(Math.max(0, count));
                    while (sink.hasRemaining()) {
                        assertThat(sink.get()).isEqualTo((byte) UNTOUCHED);
                    }
                }
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void file_changedWhileItIsRead_comesInWellFormedRepliesAndIsClosed(Way way) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        try (WarpServer server = serve(way)) {
            Path file = directory.resolve("file");
            fill(file, 'a');
            byte[] root = root(server);
            CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> change(file, stop, new Random(4)));
            try {
                if (way.isTcp()) {
                    readOverTcp(server, root);
                } else {
                    readOverRdma(server, root);
                }
            } finally {
                stop.set(true);
                changes.get(WAIT_SECONDS, TimeUnit.SECONDS);
            }
            await(() -> server.counters().get("payload_lent_bytes") == 0);
            assertThat(server.counters().get("tcp_defects")).isZero();
        }
        assertThat(descriptors()).isZero();
    }

    private boolean givesRanges() throws Exception {
        try (LocalFileSystem fs = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
                OpenFile file = fs.open(
                        Caller.ROOT,
                        fs.lookup(Caller.ROOT, fs.root(), FileName.of("file")).handle(),
                        OpenAccess.READ)) {
            Optional<CachedRange> range = file.range(0, READ_BYTES);
            range.ifPresent(CachedRange::close);
            return range.isPresent();
        }
    }

    /** A client that asks for much and reads nothing. Before, each of its replies held a buffer of a MiB. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "TCP_WITH_DISK"})
    void slowReader_ofFilesInThePageCache_holdsNoMemory(Way way) throws Exception {
        try (WarpServer server = serve(way)) {
            fill(directory.resolve("file"), 'a');
            assumeTrue(givesRanges(), "this kernel or file system gives no ranges");
            byte[] file = lookup(server, root(server));
            int calls = 16;
            try (Socket socket = new Socket(
                    server.tcpAddress().getAddress(), server.tcpAddress().getPort())) {
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                for (int i = 0; i < calls; i++) {
                    send(out, read(file, 0));
                }
                await(() -> server.counters().get("tcp_unsent_bytes") > 4L * READ_BYTES
                        && server.counters().get("payload_lent_bytes") == 0);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                for (int i = 0; i < calls; i++) {
                    byte[] record = new byte[in.readInt() & 0x7fff_ffff];
                    in.readFully(record);
                    assertThat(count(NfsCall.results(ByteBuffer.wrap(record)))).isEqualTo(READ_BYTES);
                }
            }
        }
        assertThat(descriptors()).isZero();
    }

    /** The same over RDMA, where the replies' bytes go to Write chunks. With CRCs each connection holds one piece. */
    @ParameterizedTest
    @EnumSource(names = {"RDMA", "RDMA_WITH_DISK", "RDMA_WITH_CRC", "RDMA_WITH_CRC_AND_DISK"})
    void slowReaderOverRdma_ofFilesInThePageCache_holdsNoPayloadMemory(Way way) throws Exception {
        try (WarpServer server = serve(way)) {
            fill(directory.resolve("file"), 'a');
            assumeTrue(givesRanges(), "this kernel or file system gives no ranges");
            byte[] file = lookup(server, root(server));
            try (StandingReader client = new StandingReader(server.rdmaAddress(), nfs(0).message())) {
                List<RpcMessage> calls = new ArrayList<>();
                List<ByteBuffer> sinks = new ArrayList<>();
                for (int i = 0; i < SLOW_CALLS; i++) {
                    sinks.add(ByteBuffer.allocateDirect(READ_BYTES));
                    calls.add(read(file, i).message());
                }
                List<CompletableFuture<RequesterReply>> replies = client.send(calls, sinks);
                await(() -> server.counters().get("rdma_reply_bytes_held") > 4L * READ_BYTES
                        && server.counters().get("payload_lent_bytes") == 0);
                assertThat(descriptors()).isGreaterThanOrEqualTo(4);
                client.goOn();
                for (int i = 0; i < SLOW_CALLS; i++) {
                    RequesterReply reply = replies.get(i).get(WAIT_SECONDS, TimeUnit.SECONDS);
                    assertThat(count(NfsCall.results(reply.message()))).isEqualTo(READ_BYTES);
                    checkData(sinks.get(i));
                }
            }
        }
        assertThat(descriptors()).isZero();
    }
}
