package org.warpnfs.nfs.v4.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.CallbackCall;
import org.warpnfs.nfs.v4.state.CallbackCredential;
import org.warpnfs.nfs.v4.state.CallbackOutcome;
import org.warpnfs.nfs.v4.state.SessionId;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrReader;

/** The callback of Linux's server and the answer of Linux's client, as captured (recall-v4.1, frames 71 and 73). */
class CallbackMessageTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] CALL = HEX.parseHex("e0b89c8b000000000000000240000000000000010000000100000001"
            + "0000001c0000000000000006286e6f6e65290000000000000000000000000000" + "0000000000000000"
            + "00000000000000010000000000000002"
            + "0000000b1db6006b5a7bfbfa010000000000000000000001000000000000000000000000" + "00000000"
            + "00000004000000011db6006b5a7bfbfa0200000000000000" + "0000001401000101000000000d31e95f0200000000000000");
    private static final byte[] RESULT = HEX.parseHex("000000000000000000000002"
            + "0000000b000000001db6006b5a7bfbfa010000000000000000000001000000000000000f0000000f" + "0000000400000000");

    private static XdrReader reader(byte[] message) {
        Xdr xdr = new Xdr(message);
        xdr.beginDecoding();
        return new XdrReader(xdr);
    }

    @Test
    void recall_asLinuxServerSendsIt_isTheSameBytes() {
        CallbackCall.Bound target = new CallbackCall.Bound(
                new Object(), 0x4000_0000, new CallbackCredential.Sys(0, "(none)", 0, 0, List.of()));
        CallbackCall call = new CallbackCall.Recall(
                target,
                new CallbackCall.Position(1, new SessionId(0x1db6006b_5a7bfbfaL, 0x01000000_00000000L), 1, 0, 0),
                new Stateid(1, 0x1db6006b, 0x5a7bfbfa_02000000L),
                Opaque.of(HEX.parseHex("01000101000000000d31e95f0200000000000000")));
        assertThat(HEX.formatHex(CallbackMessage.encode(0xe0b89c8b, call).toByteArray()))
                .isEqualTo(HEX.formatHex(CALL));
    }

    @Test
    void result_ofALinuxClient_isBothExecuted() throws Nfs4Exception {
        assertThat(CallbackMessage.decode(reader(RESULT))).isEqualTo(new CallbackOutcome.Compound(0, 0));
    }

    @Test
    void result_withAnErrorInEitherPlace_saysWhich() throws Nfs4Exception {
        byte[] recall = RESULT.clone();
        recall[3] = 99;
        recall[RESULT.length - 1] = 99;
        assertThat(CallbackMessage.decode(reader(recall))).isEqualTo(new CallbackOutcome.Compound(0, 99));
        byte[] sequence = Arrays.copyOf(RESULT, 20);
        sequence[3] = 98;
        sequence[11] = 1;
        sequence[19] = 98;
        assertThat(CallbackMessage.decode(reader(sequence))).isEqualTo(new CallbackOutcome.Compound(98, 98));
    }

    @Test
    void result_cutAnywhere_isNone() {
        for (int length = 0; length < RESULT.length; length += Integer.BYTES) {
            byte[] cut = Arrays.copyOf(RESULT, length);
            assertThatThrownBy(() -> CallbackMessage.decode(reader(cut))).isInstanceOf(Nfs4Exception.class);
        }
    }
}
