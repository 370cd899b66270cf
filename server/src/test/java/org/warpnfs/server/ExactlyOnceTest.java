package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;

/**
 * A call whose reply was lost with its connection is sent again on another connection. The server does it only once,
 * over either transport.
 */
class ExactlyOnceTest {
    private static final int UID = 1000;
    private static final int CALL_XID = 77;
    /** The length of data that do not fit into an inline message and need padding. */
    private static final int WRITE_BYTES = 30_001;

    private enum Way {
        RDMA,
        TCP
    }

    private IwarpTransport iwarp;
    private WarpServer server;
    private int xid = 1;

    @BeforeEach
    void start() throws Exception {
        iwarp = new IwarpTransport();
        server = WarpServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)));
    }

    @AfterEach
    void stop() {
        server.close();
        iwarp.close();
    }

    /** Sends a call on its own connection, which then ends. */
    private byte[] send(Way way, NfsCall call) throws Exception {
        return switch (way) {
            case TCP -> bytes(call.overTcp(server.tcpAddress()));
            case RDMA -> sendOverRdma(call, ChunkOffer.NONE);
        };
    }

    private byte[] sendOverRdma(NfsCall call, ChunkOffer offer) throws Exception {
        try (RpcRdmaRequester client = RpcRdmaRequester.connect(
                        iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, c -> c)
                .get(30, TimeUnit.SECONDS)) {
            return bytes(NfsCall.results(
                    client.call(call.message(), offer).get(30, TimeUnit.SECONDS).message()));
        }
    }

    private static byte[] bytes(ByteBuffer results) {
        byte[] bytes = new byte[results.remaining()];
        results.get(bytes);
        return bytes;
    }

    private NfsCall compound(int xidOfCall, int operations) {
        return NfsCall.of(xidOfCall, NfsCall.NFS, 4, 1, UID).string("").word(1).word(operations);
    }

    private NfsCall sequence(NfsCall compound, byte[] session, int seqid) {
        ByteBuffer id = ByteBuffer.wrap(session);
        return compound.word(53)
                .hyper(id.getLong())
                .hyper(id.getLong())
                .word(seqid)
                .word(0)
                .word(0)
                .word(1);
    }

    private static int status(byte[] compound) {
        return ByteBuffer.wrap(compound).getInt();
    }

    private byte[] newSession(Way way) throws Exception {
        byte[] exchanged = send(
                way,
                compound(xid++, 1)
                        .word(42)
                        .hyper(1)
                        .string("exactly once")
                        .word(0)
                        .word(0)
                        .word(0));
        assertThat(status(exchanged)).isZero();
        ByteBuffer id = ByteBuffer.wrap(exchanged, 20, 12);
        NfsCall create = compound(xid++, 1)
                .word(43)
                .hyper(id.getLong())
                .word(id.getInt())
                .word(0);
        for (int channel = 0; channel < 2; channel++) {
            create.word(0).word(65536).word(65536).word(4096).word(8).word(4).word(0);
        }
        byte[] created = send(way, create.word(0x4000_0000).word(1).word(0));
        assertThat(status(created)).isZero();
        byte[] session = new byte[16];
        ByteBuffer.wrap(created).get(20, session);
        assertThat(status(send(
                        way, sequence(compound(xid++, 2), session, 1).word(58).word(0))))
                .isZero();
        return session;
    }

    private NfsCall makeDirectory(byte[] session) {
        return sequence(compound(CALL_XID, 3), session, 2)
                .word(24)
                .word(6)
                .word(2)
                .string("directory")
                .word(0)
                .word(0);
    }

    @ParameterizedTest
    @CsvSource({"RDMA,RDMA", "TCP,TCP", "RDMA,TCP", "TCP,RDMA"})
    void sequence_againOnAnotherConnection_isAnsweredFromItsSlot(Way first, Way second) throws Exception {
        byte[] session = newSession(first);
        byte[] answered = send(first, makeDirectory(session));
        assertThat(status(answered)).isZero();
        assertThat(send(second, makeDirectory(session))).isEqualTo(answered);
        byte[] next = send(second, sequence(compound(xid++, 2), session, 3).word(24));
        assertThat(status(next)).as("the slot goes on").isZero();
    }

    @ParameterizedTest
    @CsvSource({"RDMA,RDMA", "TCP,TCP", "RDMA,TCP", "TCP,RDMA"})
    void nfs3_againOnAnotherConnection_isAnsweredAsTheFirst(Way first, Way second) throws Exception {
        ByteBuffer mounted =
                NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(mounted.getInt()).isZero();
        byte[] root = NfsCall.opaque(mounted);
        byte[] answered = send(first, makeDirectory3(CALL_XID, root));
        assertThat(status(answered)).isZero();
        assertThat(send(second, makeDirectory3(CALL_XID, root))).isEqualTo(answered);
        assertThat(status(send(second, makeDirectory3(CALL_XID + 1, root))))
                .as("EXIST: another call")
                .isEqualTo(17);
    }

    private static NfsCall compound40(int xidOfCall, int operations) {
        return NfsCall.of(xidOfCall, NfsCall.NFS, 4, 1, UID).string("").word(0).word(operations);
    }

    private static NfsCall makeDirectory40(int xidOfCall) {
        return compound40(xidOfCall, 2)
                .word(24)
                .word(6)
                .word(2)
                .string("directory")
                .word(0)
                .word(0);
    }

    @ParameterizedTest
    @CsvSource({"RDMA,RDMA", "TCP,TCP", "RDMA,TCP", "TCP,RDMA"})
    void nfs40_changesAgainOnAnotherConnection_areAnsweredAsTheFirst(Way first, Way second) throws Exception {
        byte[] made = send(first, makeDirectory40(CALL_XID));
        assertThat(status(made)).isZero();
        assertThat(send(second, makeDirectory40(CALL_XID))).isEqualTo(made);
        assertThat(status(send(second, makeDirectory40(CALL_XID + 1))))
                .as("EXIST: another call")
                .isEqualTo(17);
        byte[] renamed = send(first, rename40());
        assertThat(status(renamed)).isZero();
        assertThat(send(second, rename40())).isEqualTo(renamed);
        byte[] removed = send(first, remove40(CALL_XID + 3));
        assertThat(status(removed)).isZero();
        assertThat(send(second, remove40(CALL_XID + 3))).isEqualTo(removed);
        assertThat(status(send(second, remove40(CALL_XID + 4))))
                .as("NOENT: another call")
                .isEqualTo(2);
        assertThat(send(second, makeDirectory40(CALL_XID)))
                .as("still not made again")
                .isEqualTo(made);
        assertThat(send(second, remove40(CALL_XID + 3))).isEqualTo(removed);
    }

    private static NfsCall rename40() {
        return compound40(CALL_XID + 2, 3)
                .word(24)
                .word(32)
                .word(29)
                .string("directory")
                .string("renamed");
    }

    private static NfsCall remove40(int xidOfCall) {
        return compound40(xidOfCall, 2).word(24).word(28).string("renamed");
    }

    /** Over RDMA the data are in a Read chunk, and over TCP inside the call. Both are the same call. */
    @ParameterizedTest
    @CsvSource({"RDMA,RDMA", "TCP,TCP", "RDMA,TCP", "TCP,RDMA"})
    void nfs40_writeAgainAfterAnother_doesNotUndoIt(Way first, Way second) throws Exception {
        createFile();
        byte[] answered = send(first, write40(CALL_XID, 'a'));
        assertThat(status(answered)).isZero();
        assertThat(status(send(second, write40(CALL_XID + 1, 'b')))).isZero();
        assertThat(send(second, write40(CALL_XID, 'a'))).isEqualTo(answered);
        assertThat(firstByte(second)).isEqualTo((byte) 'b');
        assertThat(status(send(second, write40(CALL_XID, 'c')))).isZero();
        assertThat(firstByte(first)).as("other data under the same XID").isEqualTo((byte) 'c');
    }

    /** A kept reply has its data put into the Write chunk of the repeated call. */
    @Test
    void nfs40_writeWithARead_againOnAnotherConnection_hasTheSameDataInItsChunk() throws Exception {
        createFile();
        ByteBuffer before = ByteBuffer.allocateDirect(WRITE_BYTES);
        byte[] answered = sendOverRdma(writeAndRead(), ChunkOffer.write(before));
        assertThat(status(answered)).isZero();
        assertThat(before.get(WRITE_BYTES - 1)).isEqualTo((byte) 'a');
        assertThat(status(send(Way.TCP, write40(CALL_XID + 1, 'b')))).isZero();
        ByteBuffer after = ByteBuffer.allocateDirect(WRITE_BYTES);
        assertThat(sendOverRdma(writeAndRead(), ChunkOffer.write(after))).isEqualTo(answered);
        assertThat(after.rewind()).isEqualTo(before.rewind());
        byte[] overTcp = send(Way.TCP, writeAndRead());
        assertThat(overTcp).as("with its data inside").hasSize(answered.length + WRITE_BYTES + 3);
        assertThat(firstByte(Way.TCP)).isEqualTo((byte) 'b');
    }

    private static NfsCall writeAndRead() {
        return write40(compound40(CALL_XID, 4), 'a')
                .word(25)
                .hyper(0)
                .hyper(0)
                .hyper(0)
                .word(WRITE_BYTES);
    }

    private void createFile() throws Exception {
        ByteBuffer mounted =
                NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(mounted.getInt()).isZero();
        NfsCall create = NfsCall.of(xid++, NfsCall.NFS, 3, 8, UID)
                .opaque(NfsCall.opaque(mounted))
                .string("file")
                .word(0)
                .word(1)
                .word(0644)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0);
        assertThat(status(send(Way.TCP, create))).isZero();
    }

    private static NfsCall write40(int xidOfCall, char fill) {
        return write40(compound40(xidOfCall, 3), fill);
    }

    private static NfsCall write40(NfsCall compound, char fill) {
        byte[] data = new byte[WRITE_BYTES];
        Arrays.fill(data, (byte) fill);
        return compound.word(24)
                .word(15)
                .string("file")
                .word(38)
                .hyper(0)
                .hyper(0)
                .hyper(0)
                .word(2)
                .data(ByteBuffer.wrap(data));
    }

    private byte firstByte(Way way) throws Exception {
        byte[] results = send(
                way,
                compound40(xid++, 3)
                        .word(24)
                        .word(15)
                        .string("file")
                        .word(25)
                        .hyper(0)
                        .hyper(0)
                        .hyper(0)
                        .word(4));
        assertThat(status(results)).isZero();
        // Skips status, tag and count, then PUTROOTFH and LOOKUP, then READ's header with eof and length.
        return results[3 * 4 + 4 * 4 + 4 * 4];
    }

    private static NfsCall makeDirectory3(int xidOfCall, byte[] root) {
        // MKDIR that sets only the mode, 0755
        return NfsCall.of(xidOfCall, NfsCall.NFS, 3, 9, UID)
                .opaque(root)
                .string("directory")
                .word(1)
                .word(0755)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0);
    }

    @Test
    void sequence_ofAnotherCallUnderTheSameNumber_isRefused() throws Exception {
        byte[] session = newSession(Way.TCP);
        assertThat(status(send(Way.TCP, makeDirectory(session)))).isZero();
        byte[] other = send(Way.RDMA, sequence(compound(xid++, 2), session, 2).word(24));
        assertThat(status(other)).as("SEQ_FALSE_RETRY").isEqualTo(10076);
    }
}
