package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;

/**
 * An NFSv4.0 client with a read delegation. When another client writes, the whole server calls it back over TCP, over
 * whichever transport its own calls go.
 */
@Timeout(120)
class DialedRecallTest {
    private static final int UID = 1000;
    private static final int DELAY = 10008;
    private static final int IDENT = 0x5EED;
    private static final int READ_DELEGATION = 1;

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
        server = WarpServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(90)));
    }

    @AfterEach
    void stop() {
        server.close();
        iwarp.close();
    }

    private ByteBuffer send(Way way, NfsCall call) throws Exception {
        return switch (way) {
            case TCP -> call.overTcp(server.tcpAddress());
            case RDMA -> {
                try (RpcRdmaRequester client = RpcRdmaRequester.connect(
                                iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, c -> c)
                        .get(30, TimeUnit.SECONDS)) {
                    yield NfsCall.results(client.call(call.message(), ChunkOffer.NONE)
                            .get(30, TimeUnit.SECONDS)
                            .message());
                }
            }
        };
    }

    private NfsCall compound(int operations) {
        return NfsCall.of(xid++, NfsCall.NFS, 4, 1, UID).string("").word(0).word(operations);
    }

    /** Skips the header and the results of PUTROOTFH or PUTFH, up to the results of the second operation. */
    private static ByteBuffer second(ByteBuffer reply, int first, int operation) {
        for (int expected : new int[] {0, 0}) {
            assertThat(reply.getInt()).isEqualTo(expected);
        }
        reply.getInt();
        for (int expected : new int[] {first, 0, operation, 0}) {
            assertThat(reply.getInt()).isEqualTo(expected);
        }
        return reply;
    }

    private static byte[] stateid(ByteBuffer results) {
        byte[] stateid = new byte[16];
        results.get(stateid);
        return stateid;
    }

    private static NfsCall stateid(NfsCall call, byte[] stateid) {
        ByteBuffer words = ByteBuffer.wrap(stateid);
        return call.hyper(words.getLong()).hyper(words.getLong());
    }

    private long introduced(Way way, CallbackListener listener) throws Exception {
        ByteBuffer given = send(
                way,
                compound(1)
                        .word(35)
                        .hyper(1)
                        .string("holder")
                        .word(0x4000_0000)
                        .string("tcp")
                        .string(listener.universalAddress())
                        .word(IDENT));
        assertThat(given.getInt()).isZero();
        given.position(given.position() + 16);
        long id = given.getLong();
        assertThat(listener.calls).as("before the confirmation").isEmpty();
        ByteBuffer confirmed = send(way, compound(1).word(36).hyper(id).hyper(given.getLong()));
        assertThat(confirmed.getInt()).isZero();
        return id;
    }

    private record Opened(String stateid, String handle, int delegation, String delegationStateid) {}

    private Opened open(Way way, long id, int seqid) throws Exception {
        ByteBuffer results = second(
                send(
                        way,
                        compound(3)
                                .word(24)
                                .word(18)
                                .word(seqid)
                                .word(1)
                                .word(0)
                                .hyper(id)
                                .string("owner")
                                // UNCHECKED4, mode 0666
                                .word(1)
                                .word(0)
                                .word(2)
                                .word(0)
                                .word(1 << 1)
                                .word(4)
                                .word(0666)
                                .word(0)
                                .string("file")
                                .word(10)),
                24,
                18);
        String open = HexFormat.of().formatHex(stateid(results));
        results.position(results.position() + 5 * 4 + 4);
        int bitmapWords = results.getInt();
        results.position(results.position() + 4 * bitmapWords);
        int delegation = results.getInt();
        String delegated = "";
        if (delegation == READ_DELEGATION) {
            delegated = HexFormat.of().formatHex(stateid(results));
            results.position(results.position() + 4 * 4);
            NfsCall.opaque(results);
        }
        assertThat(results.getInt()).as("GETFH").isEqualTo(10);
        assertThat(results.getInt()).isZero();
        return new Opened(open, HexFormat.of().formatHex(NfsCall.opaque(results)), delegation, delegated);
    }

    private int write(String handle) throws Exception {
        return send(
                        Way.TCP,
                        compound(2)
                                .word(22)
                                .opaque(HexFormat.of().parseHex(handle))
                                .word(38)
                                .hyper(0)
                                .hyper(0)
                                .hyper(0)
                                .word(2)
                                .string("data"))
                .getInt();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void readDelegation_anotherClientWrites_isRecalledOverTcpAndGivenBack(Way way) throws Exception {
        try (CallbackListener listener = new CallbackListener(CallbackListener::answer)) {
            long id = introduced(way, listener);
            ByteBuffer probe = ByteBuffer.wrap(CallbackListener.next(listener.calls));
            assertThat(probe.getInt(20)).as("CB_NULL").isZero();
            Opened first = open(way, id, 1);
            assertThat(first.delegation()).as("the owner is not confirmed").isZero();
            NfsCall confirm = compound(2)
                    .word(22)
                    .opaque(HexFormat.of().parseHex(first.handle()))
                    .word(20);
            second(
                    send(
                            way,
                            stateid(confirm, HexFormat.of().parseHex(first.stateid()))
                                    .word(2)),
                    22,
                    20);
            Opened opened = open(way, id, 3);
            for (int seqid = 4; opened.delegation() != READ_DELEGATION; seqid++) {
                // The answer to CB_NULL may not have arrived yet, so try again until the time limit of the test.
                Thread.onSpinWait();
                opened = open(way, id, seqid);
            }
            assertThat(write(opened.handle())).isEqualTo(DELAY);

            ByteBuffer recall = ByteBuffer.wrap(CallbackListener.next(listener.calls));
            assertThat(recall.getInt(12)).as("program").isEqualTo(0x4000_0000);
            assertThat(recall.getInt(20)).as("CB_COMPOUND").isEqualTo(1);
            assertThat(recall.getInt(24)).as("AUTH_SYS").isEqualTo(1);
            recall.position(32 + recall.getInt(28) + 8);
            for (int expected : new int[] {0, 0, IDENT, 1, 4}) {
                assertThat(recall.getInt()).isEqualTo(expected);
            }
            assertThat(HexFormat.of().formatHex(stateid(recall))).isEqualTo(opened.delegationStateid());
            assertThat(recall.getInt()).as("truncate").isZero();
            assertThat(HexFormat.of().formatHex(NfsCall.opaque(recall))).isEqualTo(opened.handle());
            assertThat(listener.connected).as("connections").hasSize(1);

            NfsCall giveBack = compound(2)
                    .word(22)
                    .opaque(HexFormat.of().parseHex(opened.handle()))
                    .word(8);
            second(send(way, stateid(giveBack, HexFormat.of().parseHex(opened.delegationStateid()))), 22, 8);
            assertThat(write(opened.handle())).isZero();

            server.close();
            CallbackListener.next(listener.gone);
        }
    }
}
