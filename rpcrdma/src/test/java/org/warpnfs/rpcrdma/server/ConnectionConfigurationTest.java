package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;

/**
 * The connection configuration protocol (RFC 5666, section 6). The bytes of its calls are written by hand from its XDR.
 */
class ConnectionConfigurationTest {
    private static final String AUTH_NONE = "00000000 00000000 ";
    private static final String AUTH_SYS = "00000001 00000014 00000000 00000000 00000000 00000000 00000000 ";

    private SimulatedResponder responder = new SimulatedResponder(ResponderOptions.DEFAULT);

    @AfterEach
    void close() {
        responder.close();
    }

    private static RpcMessage call(int version, int procedure, String credential, String arguments) {
        String words = "0000000a 00000000 00000002 00018841 %08x %08x ".formatted(version, procedure)
                + credential
                + AUTH_NONE
                + arguments;
        return RpcMessage.of(ByteBuffer.wrap(HexFormat.of().parseHex(words.replace(" ", ""))));
    }

    /** The bytes after the header of the last message. */
    private String answer(RawRequester raw, RpcMessage call) throws Exception {
        raw.send(inline(call));
        responder.settle();
        ByteBuffer reply = last(raw);
        assertThat(header(reply)).isInstanceOf(RdmaMsg.class);
        byte[] bytes = new byte[reply.remaining()];
        reply.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void confRdma_called_answersWithOurLimitsAndKeepsToTheirs() throws Exception {
        RawRequester raw = responder.connect(0);
        assertThat(answer(raw, call(1, 1, AUTH_SYS, "00000800 00000400 00000001")))
                .as("accepted; 4096 inline, alignment 4, no Reads")
                .isEqualTo("0000000a00000001000000000000000000000000000000000000100000000004" + "00000000");
        raw.send(inline(Rpc.call(1, EchoProgram.BULK, 1024 - 28 - 24 - 4)));
        responder.settle();
        assertThat(header(last(raw))).as("1024 bytes in all").isInstanceOf(RdmaMsg.class);
        raw.send(inline(Rpc.call(2, EchoProgram.BULK, 1024 - 28 - 24)));
        responder.settle();
        assertThat(header(last(raw))).as("4 more").isInstanceOf(RdmaErrorChunk.class);
    }

    @Test
    void moreThanWeSend_configured_isOurLimit() throws Exception {
        RawRequester raw = responder.connect(0);
        answer(raw, call(1, 1, AUTH_SYS, "00000800 ffffffff ffffffff"));
        raw.send(inline(Rpc.call(1, EchoProgram.BULK, 4096 - 28 - 24 - 4)));
        responder.settle();
        assertThat(header(last(raw))).isInstanceOf(RdmaMsg.class);
        raw.send(inline(Rpc.call(2, EchoProgram.BULK, 4096 - 28 - 24)));
        responder.settle();
        assertThat(header(last(raw))).isInstanceOf(RdmaErrorChunk.class);
    }

    @Test
    void lessThanTheBase_configured_is1024() throws Exception {
        RawRequester raw = responder.connect(0);
        answer(raw, call(1, 1, AUTH_SYS, "00000000 00000000 00000001"));
        raw.send(inline(Rpc.call(1, EchoProgram.BULK, 1024 - 28 - 24 - 4)));
        responder.settle();
        assertThat(header(last(raw))).isInstanceOf(RdmaMsg.class);
    }

    /** A peer that holds no Reads ends the stream at the first one. This peer holds two and announces fewer. */
    @Test
    void readsOfThePeer_configured_areKeptTo() throws Exception {
        RawRequester raw = responder.connect(0);
        answer(raw, call(1, 1, AUTH_SYS, "00000800 00001000 00000000"));
        MemoryRegion region = raw.register(ByteBuffer.allocate(1000), AccessRight.REMOTE_READ);
        ReadSegment entry = new ReadSegment(48, new RdmaSegment(region.stag(), 1000, region.taggedOffset()));
        ByteBuffer write = message(
                new RdmaMsg(3, 32, new ChunkLists(List.of(entry), List.of(), Optional.empty())),
                Rpc.call(3, EchoProgram.WRITE, 7, 1000, 9).xdr());
        raw.send(write.duplicate());
        responder.settle();
        assertThat(header(last(raw))).isInstanceOf(RdmaErrorChunk.class);
        answer(raw, call(1, 1, AUTH_SYS, "00000800 00001000 00000001"));
        raw.send(write);
        responder.settle();
        assertThat(header(last(raw))).isInstanceOf(RdmaMsg.class);
        assertThat(responder.program.writes).isEqualTo(1);
    }

    @Test
    void authNone_called_isTooWeak() throws Exception {
        RawRequester raw = responder.connect(0);
        assertThat(answer(raw, call(1, 1, AUTH_NONE, "00000800 00000400 00000001")))
                .as("denied, AUTH_ERROR, AUTH_TOOWEAK")
                .isEqualTo("0000000a0000000100000001" + "0000000100000005");
    }

    @Test
    void otherProceduresAndVersions_called_areToldSo() throws Exception {
        RawRequester raw = responder.connect(0);
        String accepted = "0000000a" + "00000001" + "00000000" + "0000000000000000";
        assertThat(answer(raw, call(1, 0, AUTH_NONE, ""))).isEqualTo(accepted + "00000000");
        assertThat(answer(raw, call(1, 2, AUTH_SYS, ""))).isEqualTo(accepted + "00000003");
        assertThat(answer(raw, call(2, 1, AUTH_SYS, ""))).isEqualTo(accepted + "00000002" + "0000000100000001");
        assertThat(answer(raw, call(1, 1, AUTH_SYS, "00000800"))).isEqualTo(accepted + "00000004");
    }

    @Test
    void switchedOff_called_progUnavail() throws Exception {
        responder.close();
        Rfc5666Options on = Rfc5666Options.DEFAULT;
        responder = new SimulatedResponder(ResponderOptions.builder()
                .rfc5666(new Rfc5666Options(
                        false,
                        on.maxExposedReplies(),
                        on.maxExposedBytes(),
                        on.maxExposedBytesInAll(),
                        on.doneLimit(),
                        false))
                .build());
        RawRequester raw = responder.connect(0);
        assertThat(answer(raw, call(1, 1, AUTH_SYS, "00000800 00000400 00000001")))
                .isEqualTo("0000000a" + "00000001" + "00000000" + "0000000000000000" + "00000001");
    }
}
