package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/** Access control lists that fit into no inline message: a long call sets them, a Reply chunk brings them back. */
class AccessControlListsTest {
    private static final int NFS_ACL = 100_227;
    private static final int GETACL = 1;
    private static final int SETACL = 2;
    private static final int ENTRIES = 1024;
    private static final int INLINE_BYTES = 4096;
    private static final int UID = 1000;

    private IwarpTransport iwarp;
    private WarpServer server;
    private RpcRdmaRequester client;
    private int xid = 1;

    @BeforeEach
    void start() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        iwarp = new IwarpTransport();
        server = WarpServer.start(new ServerConfig(
                List.of(ExportSpec.parse(":/")),
                Backend.MEMORY,
                16 << 20,
                any,
                any,
                null,
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(5),
                4,
                16 << 20,
                Duration.ofSeconds(5)));
        client = RpcRdmaRequester.connect(iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, c -> c)
                .get(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
        iwarp.close();
    }

    private ByteBuffer call(NfsCall call, ChunkOffer offer) throws Exception {
        return NfsCall.results(
                client.call(call.message(), offer).get(30, TimeUnit.SECONDS).message());
    }

    private byte[] newDirectory() throws Exception {
        ByteBuffer mounted =
                NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(mounted.getInt()).isZero();
        byte[] root = NfsCall.opaque(mounted);
        ByteBuffer made = call(
                NfsCall.of(xid++, NfsCall.NFS, 3, 9, UID)
                        .opaque(root)
                        .string("directory")
                        .word(1)
                        .word(0700)
                        .word(0)
                        .word(0)
                        .word(0)
                        .word(0)
                        .word(0),
                ChunkOffer.NONE);
        assertThat(made.getInt()).isZero();
        assertThat(made.getInt()).as("a handle follows").isOne();
        return NfsCall.opaque(made);
    }

    /** user_obj, so many users, group_obj, mask, other. */
    private static void putList(NfsCall call, int flag) {
        call.word(ENTRIES).word(ENTRIES);
        call.word(flag | 1).word(UID).word(7);
        for (int i = 0; i < ENTRIES - 4; i++) {
            call.word(flag | 2).word(100_000 + i).word(i & 7);
        }
        call.word(flag | 4).word(UID).word(5);
        call.word(flag | 0x10).word(0).word(6);
        call.word(flag | 0x20).word(0).word(0);
    }

    private NfsCall setAcl(byte[] handle) {
        NfsCall call = NfsCall.of(xid++, NFS_ACL, 3, SETACL, UID).opaque(handle).word(5);
        putList(call, 0);
        putList(call, 0x1000);
        return call;
    }

    private NfsCall getAcl(byte[] handle) {
        return NfsCall.of(xid++, NFS_ACL, 3, GETACL, UID).opaque(handle).word(15);
    }

    private static void assertLists(ByteBuffer results) {
        assertThat(results.getInt()).isZero();
        results.position(results.position() + 4 + 84);
        assertThat(results.getInt()).isEqualTo(15);
        NfsCall expected = NfsCall.of(0, NFS_ACL, 3, GETACL, UID);
        int header = (int) expected.message().lengthBytes();
        putList(expected, 0);
        putList(expected, 0x1000);
        ByteBuffer lists = expected.message().flatten();
        assertThat(results).isEqualTo(lists.position(lists.position() + header));
    }

    @Test
    void lists_beyondInline_goInALongCallAndComeInAReplyChunk() throws Exception {
        byte[] directory = newDirectory();
        NfsCall set = setAcl(directory);
        assertThat(set.message().lengthBytes()).isGreaterThan(INLINE_BYTES);
        ByteBuffer answered = call(set, ChunkOffer.NONE);
        assertThat(answered.getInt()).isZero();
        assertThat(answered.getInt()).as("attributes follow").isOne();
        ByteBuffer sink = ByteBuffer.allocateDirect(28 << 10);
        NfsCall get = getAcl(directory);
        ByteBuffer results = call(get, ChunkOffer.reply(sink));
        assertThat(results.remaining()).isGreaterThan(INLINE_BYTES);
        assertThat(sink.getInt(0)).as("the reply is in the chunk").isEqualTo(xid - 1);
        assertLists(results);
        assertLists(getAcl(directory).overTcp(server.tcpAddress()));
    }

    @Test
    void lists_overTcp_areTheSameOverRdma() throws Exception {
        byte[] directory = newDirectory();
        assertThat(setAcl(directory).overTcp(server.tcpAddress()).getInt()).isZero();
        assertLists(call(getAcl(directory), ChunkOffer.reply(ByteBuffer.allocateDirect(28 << 10))));
    }

    @Test
    void getAcl_withoutRoomForItsReply_failsAndTheConnectionLives() throws Exception {
        byte[] directory = newDirectory();
        assertThat(call(setAcl(directory), ChunkOffer.NONE).getInt()).isZero();
        for (ChunkOffer tooSmall :
                new ChunkOffer[] {ChunkOffer.NONE, ChunkOffer.reply(ByteBuffer.allocateDirect(8 << 10))}) {
            assertThatThrownBy(() -> call(getAcl(directory), tooSmall)).isInstanceOf(ExecutionException.class);
        }
        assertLists(call(getAcl(directory), ChunkOffer.reply(ByteBuffer.allocateDirect(28 << 10))));
    }
}
