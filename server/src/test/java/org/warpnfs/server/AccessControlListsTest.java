package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;

/**
 * Access control lists that are larger than an inline message, over RDMA. A long call sets them, and a Reply chunk
 * returns them.
 */
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
        iwarp = new IwarpTransport();
        server = WarpServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)));
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

    /** Encodes an access list: user_obj, many users, group_obj, mask and other. */
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

    private byte[] newSession() throws Exception {
        ByteBuffer exchanged = call(
                compound(1).word(42).hyper(1).string("lists").word(0).word(0).word(0), ChunkOffer.NONE);
        assertThat(exchanged.getInt()).isZero();
        long clientId = exchanged.getLong(exchanged.position() + 16);
        NfsCall create = compound(1)
                .word(43)
                .hyper(clientId)
                .word(exchanged.getInt(exchanged.position() + 24))
                .word(0);
        for (int channel = 0; channel < 2; channel++) {
            create.word(0).word(65536).word(65536).word(4096).word(8).word(4).word(0);
        }
        ByteBuffer created = call(create.word(0x4000_0000).word(1).word(0), ChunkOffer.NONE);
        assertThat(created.getInt()).isZero();
        byte[] session = new byte[16];
        created.get(created.position() + 16, session);
        return session;
    }

    private NfsCall compound(int operations) {
        return NfsCall.of(xid++, NfsCall.NFS, 4, 1, UID).string("").word(1).word(operations);
    }

    private NfsCall sequence(int operations, byte[] session, int seqid) {
        ByteBuffer id = ByteBuffer.wrap(session);
        return compound(1 + operations)
                .word(53)
                .hyper(id.getLong())
                .hyper(id.getLong())
                .word(seqid)
                .word(0)
                .word(0)
                .word(0);
    }

    @Test
    void acl_ofVersion4BeyondInline_goesInALongCallAndComesInAReplyChunk() throws Exception {
        byte[] session = newSession();
        assertThat(call(sequence(1, session, 1).word(58).word(0), ChunkOffer.NONE)
                        .getInt())
                .isZero();
        int users = 1000;
        int read = 0x12_0081;
        // PUTROOTFH, and CREATE of a directory with an acl; each user's entry takes 16 + 8 bytes.
        NfsCall create = sequence(2, session, 2).word(24).word(6).word(2).string("directory");
        create.word(1).word(1 << 12).word(4 + 24 * (users + 2)).word(users + 2);
        create.word(0).word(0).word(read).string("OWNER@");
        for (int i = 0; i < users; i++) {
            create.word(0).word(0).word(read).string(Integer.toString(100_000 + i));
        }
        create.word(0).word(0).word(read & ~1).string("GROUP@");
        assertThat(create.message().lengthBytes()).isGreaterThan(INLINE_BYTES);
        assertThat(call(create, ChunkOffer.NONE).getInt()).isZero();
        // PUTROOTFH, LOOKUP, GETATTR
        NfsCall get = sequence(3, session, 3).word(24).word(15).string("directory");
        ByteBuffer sink = ByteBuffer.allocateDirect(64 << 10);
        ByteBuffer results = call(get.word(9).word(1).word(1 << 12), ChunkOffer.reply(sink));
        assertThat(sink.getInt(0)).as("the reply is in the chunk").isEqualTo(xid - 1);
        assertThat(results.getInt()).isZero();
        // tag, count, SEQUENCE, PUTROOTFH, LOOKUP, GETATTR with its bitmap
        results.position(results.position() + 8 + 44 + 8 + 8 + 8 + 8);
        assertThat(results.getInt()).as("length").isEqualTo(results.remaining());
        assertThat(results.getInt()).as("entries").isEqualTo(users + 3);
        assertThat(NfsCall.string(nextWho(results, read | 0x4_0100))).isEqualTo("OWNER@");
        for (int i = 0; i < users; i++) {
            assertThat(NfsCall.string(nextWho(results, read))).isEqualTo(Integer.toString(100_000 + i));
        }
        assertThat(NfsCall.string(nextWho(results, read & ~1))).isEqualTo("GROUP@");
        assertThat(NfsCall.string(nextWho(results, read & ~1))).isEqualTo("EVERYONE@");
        assertThat(results.hasRemaining()).isFalse();
    }

    /** Skips type, flag and mask of an entry, and checks the mask. */
    private static ByteBuffer nextWho(ByteBuffer results, int mask) {
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(0, 0, mask);
        return results;
    }
}
