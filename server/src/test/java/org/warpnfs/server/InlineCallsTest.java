package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.DataPath;
import org.warpnfs.server.config.DataPath.OnOff;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ExportsFiles;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.hostile.V41Client;

/** Which calls to a whole server run on the event loop that received them, and which go on in a lane. */
class InlineCallsTest {
    private static final int GETATTR = 1;
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int ACCESS = 4;
    private static final int PUTROOTFH = 24;
    private static final int GETATTR4 = 9;
    private static final int FILE_BYTES = 10_000;
    private static final int LONG_FILE_BYTES = 300_000;
    private static final int SECONDS = 60;

    @TempDir
    private Path onDisk;

    private Path directory;
    private int xid = 1;

    @BeforeEach
    void makeFile() throws Exception {
        directory = Files.createDirectory(onDisk.resolve("files"));
        Files.write(directory.resolve("file"), new byte[FILE_BYTES]);
    }

    private WarpServer serve(OnOff inline, String exports) throws Exception {
        return serve(OnOff.ON, inline, exports(exports));
    }

    private List<ExportSpec> exports(String text) throws Exception {
        Path file = onDisk.resolve("exports");
        Files.writeString(file, text);
        return ExportsFiles.read(List.of(file), HostNames.NONE);
    }

    private WarpServer serve(OnOff splice, OnOff inline) throws Exception {
        return serve(splice, inline, exports(directory + " *(rw,insecure,no_root_squash)\n"));
    }

    private WarpServer serve(OnOff inline, List<ExportSpec> specs) throws Exception {
        return serve(OnOff.ON, inline, specs);
    }

    private WarpServer serve(OnOff splice, OnOff inline, List<ExportSpec> specs) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return WarpServer.start(new ServerConfig(
                        specs,
                        Backend.LOCAL,
                        16 << 20,
                        any,
                        any,
                        onDisk.resolve("state"),
                        RdmaChoices.DEFAULT,
                        Duration.ofSeconds(5),
                        4,
                        16 << 20,
                        Duration.ofSeconds(5),
                        IdentityChoices.DEFAULT)
                .withDataPath(new DataPath(splice, inline)));
    }

    private WarpServer serve(OnOff inline) throws Exception {
        return serve(inline, directory + " *(rw,insecure,no_root_squash)\n");
    }

    private NfsCall nfs3(int procedure, byte[] handle) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, 0).opaque(handle);
    }

    private byte[] file(WarpServer server) throws Exception {
        ByteBuffer mounted = NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0)
                .string(directory.toString())
                .overTcp(server.tcpAddress());
        assertThat(mounted.getInt()).as("MNT").isZero();
        ByteBuffer found = nfs3(LOOKUP, NfsCall.opaque(mounted)).string("file").overTcp(server.tcpAddress());
        assertThat(found.getInt()).as("LOOKUP").isZero();
        return NfsCall.opaque(found);
    }

    /** Sends a READ of a little more than the file. */
    private int read(WarpServer server, byte[] file) throws Exception {
        ByteBuffer results = nfs3(READ, file).hyper(0).word(FILE_BYTES + 1).overTcp(server.tcpAddress());
        assertThat(results.getInt()).as("READ").isZero();
        assertThat(results.getInt()).as("attributes").isOne();
        results.position(results.position() + 84);
        int count = results.getInt();
        assertThat(results.getInt()).as("end of file").isOne();
        return count;
    }

    private static long inline(WarpServer server, String transport) {
        return server.counters().get(transport + "_calls_inline");
    }

    private static long postponed(WarpServer server, String transport) {
        return server.counters().get(transport + "_calls_postponed");
    }

    @Test
    void fileThatIsOpenAndInThePageCache_isReadOnTheEventLoop() throws Exception {
        try (WarpServer server = serve(OnOff.ON)) {
            byte[] file = file(server);
            assertThat(read(server, file)).isEqualTo(FILE_BYTES);
            assertThat(inline(server, "tcp")).isOne();
            assertThat(postponed(server, "tcp")).as("the file was not open").isOne();
            Assumptions.assumeTrue(
                    readsTheCache(server, file), "cachestat(2) is not there, or not for this file system");
            assertThat(nfs3(GETATTR, file).overTcp(server.tcpAddress()).getInt())
                    .isZero();
            assertThat(inline(server, "tcp")).isEqualTo(3);
            assertThat(postponed(server, "tcp")).isOne();
            assertThat(nfs3(ACCESS, file).word(1).overTcp(server.tcpAddress()).getInt())
                    .isZero();
            assertThat(inline(server, "tcp")).as("ACCESS has a lane").isEqualTo(3);
        }
    }

    /** Offsets are unsigned. Nothing is there beyond 2^63, which is no error. */
    @Test
    void offsetBeyondEveryFile_onTheEventLoop_readsNothing() throws Exception {
        try (WarpServer server = serve(OnOff.ON)) {
            byte[] file = file(server);
            assertThat(read(server, file)).isEqualTo(FILE_BYTES);
            for (long offset : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, -4096, -1}) {
                long before = inline(server, "tcp");
                ByteBuffer results = nfs3(READ, file).hyper(offset).word(4096).overTcp(server.tcpAddress());
                assertThat(results.getInt()).as("%x", offset).isZero();
                results.position(results.position() + 4 + 84);
                assertThat(results.getInt()).as("count").isZero();
                assertThat(results.getInt()).as("end of file").isOne();
                assertThat(inline(server, "tcp")).isEqualTo(before + 1);
            }
        }
    }

    /** Its data are sent from the page cache, so the event loop copies nothing. */
    @Test
    void longRead_ofDataInThePageCache_runsOnTheEventLoop() throws Exception {
        byte[] bytes = makeLongFile();
        try (WarpServer server = serve(OnOff.ON)) {
            byte[] file = file(server);
            assertThat(readLong(server, file)).isEqualTo(bytes);
            assertThat(postponed(server, "tcp")).as("the file was not open").isOne();
            long before = inline(server, "tcp");
            assertThat(readLong(server, file)).isEqualTo(bytes);
            Assumptions.assumeTrue(
                    postponed(server, "tcp") == 1, "cachestat(2) is not there, or not for this file system");
            assertThat(inline(server, "tcp")).isEqualTo(before + 1);
        }
    }

    @Test
    void longRead_whoseDataHaveToBeCopied_isReadInItsLane() throws Exception {
        byte[] bytes = makeLongFile();
        try (WarpServer server = serve(OnOff.OFF, OnOff.ON)) {
            byte[] file = file(server);
            assertThat(readLong(server, file)).isEqualTo(bytes);
            assertThat(readLong(server, file)).isEqualTo(bytes);
            assertThat(postponed(server, "tcp")).isEqualTo(2);
        }
    }

    private byte[] makeLongFile() throws Exception {
        byte[] bytes = new byte[LONG_FILE_BYTES];
        new Random(1).nextBytes(bytes);
        Files.write(directory.resolve("file"), bytes);
        return bytes;
    }

    private byte[] readLong(WarpServer server, byte[] file) throws Exception {
        ByteBuffer results = nfs3(READ, file).hyper(0).word(LONG_FILE_BYTES).overTcp(server.tcpAddress());
        assertThat(results.getInt()).as("READ").isZero();
        results.position(results.position() + 4 + 84);
        assertThat(results.getInt()).as("count").isEqualTo(LONG_FILE_BYTES);
        assertThat(results.getInt()).as("end of file").isOne();
        return NfsCall.opaque(results);
    }

    private boolean readsTheCache(WarpServer server, byte[] file) throws Exception {
        assertThat(read(server, file)).isEqualTo(FILE_BYTES);
        assertThat(inline(server, "tcp")).isEqualTo(2);
        return postponed(server, "tcp") == 1;
    }

    @Test
    void rdmaCall_thatNeedNotWait_runsOnTheEventLoop() throws Exception {
        try (WarpServer server = serve(OnOff.ON);
                IwarpTransport iwarp = new IwarpTransport();
                Requester client = RpcRdmaRequester.connect(
                                iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .get(SECONDS, TimeUnit.SECONDS)) {
            byte[] file = file(server);
            assertThat(read(server, file)).isEqualTo(FILE_BYTES);
            ByteBuffer results = NfsCall.results(client.call(nfs3(GETATTR, file).message(), ChunkOffer.NONE)
                    .get(SECONDS, TimeUnit.SECONDS)
                    .message());
            assertThat(results.getInt()).isZero();
            assertThat(inline(server, "rdma")).isOne();
            assertThat(postponed(server, "rdma")).isLessThanOrEqualTo(1);
        }
    }

    /** The attributes of a directory on the disk may have to be read from there. */
    @Test
    void compound_whoseLastOperationWouldWait_goesOnInItsLaneAndIsAnsweredOnce() throws Exception {
        try (WarpServer server = serve(OnOff.ON, List.of(ExportSpec.parse(directory + ":/,no_root_squash")))) {
            V41Client client = new V41Client(call -> call.overTcp(server.tcpAddress()), "a client");
            client.open();
            long before = inline(server, "tcp");
            NfsCall call = client.sequenced(4)
                    .word(PUTROOTFH)
                    .word(GETATTR4)
                    .word(1)
                    .word(2)
                    .word(GETATTR4)
                    .word(1)
                    .word(8);
            ByteBuffer reply = call.overTcp(server.tcpAddress());
            assertThat(reply.getInt(reply.position())).isZero();
            assertThat(inline(server, "tcp")).isEqualTo(before + 1);
            assertThat(postponed(server, "tcp")).isOne();
            assertThat(call.overTcp(server.tcpAddress()))
                    .as("the slot has kept it")
                    .isEqualTo(reply);
            assertThat(postponed(server, "tcp"))
                    .as("a repetition is not performed")
                    .isOne();
        }
    }

    @Test
    void compound_ofOperationsInMemory_endsOnTheEventLoop() throws Exception {
        try (WarpServer server = serve(OnOff.ON)) {
            V41Client client = new V41Client(call -> call.overTcp(server.tcpAddress()), "a client");
            client.open();
            long before = inline(server, "tcp");
            client.renew();
            assertThat(inline(server, "tcp")).isEqualTo(before + 1);
            assertThat(postponed(server, "tcp")).isZero();
        }
    }

    @Test
    void switchedOff_everyCallHasALane() throws Exception {
        try (WarpServer server = serve(OnOff.OFF)) {
            byte[] file = file(server);
            for (int i = 0; i < 3; i++) {
                assertThat(read(server, file)).isEqualTo(FILE_BYTES);
            }
            assertThat(inline(server, "tcp")).isZero();
        }
    }

    @Test
    void exportForANamedHost_mayAskANameService_andNoCallRunsOnTheEventLoop() throws Exception {
        try (WarpServer server = serve(
                OnOff.ON,
                directory + " *.example.org(rw,insecure,no_root_squash) 127.0.0.0/8(rw,insecure,no_root_squash)\n")) {
            byte[] file = file(server);
            assertThat(read(server, file)).isEqualTo(FILE_BYTES);
            assertThat(inline(server, "tcp")).isZero();
        }
    }
}
