package org.warpnfs.nfs.v4.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.callback.CallbackAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Callbacks of Linux's server and answers of Linux's client, as captured: of NFSv4.1 (recall-v4.1, frames 71 and 73),
 * and of NFSv4.0 (knfsd-v4.0, frame 25; the lab's recall-4.0, frames 18 and 19).
 */
class CallbackMessageTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] CALL = HEX.parseHex("e0b89c8b000000000000000240000000000000010000000100000001"
            + "0000001c0000000000000006286e6f6e65290000000000000000000000000000" + "0000000000000000"
            + "00000000000000010000000000000002"
            + "0000000b1db6006b5a7bfbfa010000000000000000000001000000000000000000000000" + "00000000"
            + "00000004000000011db6006b5a7bfbfa0200000000000000" + "0000001401000101000000000d31e95f0200000000000000");
    private static final byte[] RESULT = HEX.parseHex("000000000000000000000002"
            + "0000000b000000001db6006b5a7bfbfa010000000000000000000001000000000000000f0000000f" + "0000000400000000");

    private static final byte[] NULL_CALL = HEX.parseHex("01fdbb93000000000000000240000000000000010000000000000001"
            + "0000001c0000000000000006286e6f6e652900000000000000000000000000000000000000000000");
    private static final byte[] PLAIN_CALL = HEX.parseHex("1ece08ae000000000000000240000000000000010000000100000001"
            + "00000024000000000000000e67756573742d31302d382d302d330000" + "000000000000000000000000"
            + "0000000000000000"
            + "00000000000000000000000100000001"
            + "00000004000000011672026bb610d3fbfd05000000000000" + "000000100100010100000000cc010000f447cc8b");
    private static final byte[] PLAIN_RESULT = HEX.parseHex("0000000000000000000000010000000400000000");
    private static final CallbackCredential.Plain LINUX_SERVER =
            new CallbackCredential.Sys(0, "(none)", 0, 0, List.of());

    private static CompoundWriter encoded(int xid, CallbackCall call) {
        return CallbackMessage.encode(
                xid, call, (CallbackCredential.Plain) call.target().credential());
    }

    private static CallbackCall.Dialed dialed(int ident, CallbackCredential credential) {
        InetSocketAddress socket = new InetSocketAddress(InetAddress.ofLiteral("10.9.0.2"), 44345);
        return new CallbackCall.Dialed(new CallbackAddress(0x4000_0000, socket, ident), credential);
    }

    private static CompoundReader reader(byte[] message) {
        Xdr xdr = new Xdr(message);
        xdr.beginDecoding();
        return new CompoundReader(xdr);
    }

    @Test
    void recall_asLinuxServerSendsIt_isTheSameBytes() {
        CallbackCall.Bound target = new CallbackCall.Bound(
                new Object(), 0, 0x4000_0000, new CallbackCredential.Sys(0, "(none)", 0, 0, List.of()));
        CallbackCall call = new CallbackCall.InSession(
                target,
                new CallbackCall.Position(1, new SessionId(0x1db6006b_5a7bfbfaL, 0x01000000_00000000L), 1, 0, 0, null),
                new CallbackCall.Recall(
                        new Stateid(1, 0x1db6006b, 0x5a7bfbfa_02000000L),
                        Opaque.of(HEX.parseHex("01000101000000000d31e95f0200000000000000"))));

        assertThat(HEX.formatHex(encoded(0xe0b89c8b, call).toByteArray())).isEqualTo(HEX.formatHex(CALL));
    }

    /**
     * Up to CB_SEQUENCE these are the bytes of Linux's CB_RECALL. The rest is by RFC 5662: OP_CB_RECALL_SLOT is 10, and
     * its argument a slotid4.
     */
    @Test
    void recallSlot_behindTheSameSequence_isItsNumberAndTheSlot() {
        CallbackCall.Bound target = new CallbackCall.Bound(
                new Object(), 0, 0x4000_0000, new CallbackCredential.Sys(0, "(none)", 0, 0, List.of()));
        CallbackCall call = new CallbackCall.InSession(
                target,
                new CallbackCall.Position(1, new SessionId(0x1db6006b_5a7bfbfaL, 0x01000000_00000000L), 1, 0, 0, null),
                new CallbackCall.RecallSlot(7));
        String recall = HEX.formatHex(CALL);
        String upToSequence = recall.substring(0, recall.indexOf("00000004000000011db6006b"));

        assertThat(HEX.formatHex(encoded(0xe0b89c8b, call).toByteArray()))
                .isEqualTo(upToSequence + "0000000a" + "00000007");
    }

    /**
     * Likewise, by RFC 5662: OP_CB_LAYOUTRECALL is 5; LAYOUT4_FLEX_FILES is 4 (RFC 8435), LAYOUTIOMODE4_ANY 3,
     * LAYOUTRECALL4_FILE 1.
     */
    @Test
    void layoutRecall_behindTheSameSequence_isOfTheWholeFile() {
        CallbackCall.Bound target = new CallbackCall.Bound(
                new Object(), 0, 0x4000_0000, new CallbackCredential.Sys(0, "(none)", 0, 0, List.of()));
        CallbackCall call = new CallbackCall.InSession(
                target,
                new CallbackCall.Position(1, new SessionId(0x1db6006b_5a7bfbfaL, 0x01000000_00000000L), 1, 0, 0, null),
                new CallbackCall.LayoutRecall(
                        new Stateid(2, 0x1db6006b, 0x5a7bfbfa_02000000L), Opaque.of(HEX.parseHex("a1a2a3"))));
        String recall = HEX.formatHex(CALL);
        String upToSequence = recall.substring(0, recall.indexOf("00000004000000011db6006b"));

        assertThat(HEX.formatHex(encoded(0xe0b89c8b, call).toByteArray()))
                .isEqualTo(upToSequence + "00000005" + "00000004" + "00000003" + "00000000" + "00000001"
                        + "00000003a1a2a300" + "0000000000000000" + "ffffffffffffffff"
                        + "00000002" + "1db6006b" + "5a7bfbfa02000000");
    }

    @Test
    void null_asLinuxServerSendsIt_isTheSameBytes() {
        assertThat(HEX.formatHex(encoded(0x01fdbb93, new CallbackCall.Null(dialed(1, LINUX_SERVER)))
                        .toByteArray()))
                .isEqualTo(HEX.formatHex(NULL_CALL));
    }

    @Test
    void plainRecall_asLinuxServerSendsIt_isTheSameBytes() {
        CallbackCall call = new CallbackCall.PlainRecall(
                dialed(1, new CallbackCredential.Sys(0, "guest-10-8-0-3", 0, 0, List.of())),
                new CallbackCall.Recall(
                        new Stateid(1, 0x1672026b, 0xb610d3fb_fd050000L),
                        Opaque.of(HEX.parseHex("0100010100000000cc010000f447cc8b"))));
        assertThat(HEX.formatHex(encoded(0x1ece08ae, call).toByteArray())).isEqualTo(HEX.formatHex(PLAIN_CALL));
    }

    @Test
    void plainRecall_ident_isTheClients() {
        CallbackCall call = new CallbackCall.PlainRecall(
                dialed(0x89ab_cdef, new CallbackCredential.None()),
                new CallbackCall.Recall(new Stateid(1, 2, 3), Opaque.of(new byte[0])));
        // rpc_msg up to AUTH_NONE twice, an empty tag, minorversion
        int identAt = 6 * 4 + 4 * 4 + 2 * 4;

        assertThat(ByteBuffer.wrap(encoded(1, call).toByteArray()).getInt(identAt))
                .isEqualTo(0x89ab_cdef);
    }

    @Test
    void plainResult_eachStatus_isTheRecalls() throws Nfs4Exception {
        assertThat(CallbackMessage.decodePlain(reader(PLAIN_RESULT))).isEqualTo(new CallbackOutcome.Compound(0, 0));

        byte[] badHandle = HEX.parseHex("000027110000000774686520746167000000000100000004" + "00002711");
        assertThat(CallbackMessage.decodePlain(reader(badHandle))).isEqualTo(new CallbackOutcome.Compound(0, 10001));

        byte[] minorVersMismatch = HEX.parseHex("000027250000000000000000");
        assertThat(CallbackMessage.decodePlain(reader(minorVersMismatch)))
                .isEqualTo(new CallbackOutcome.Compound(0, 10021));
    }

    @Test
    void plainResult_cutAnywhereOrTooMuch_isNone() {
        for (int length = 0; length < PLAIN_RESULT.length; length += Integer.BYTES) {
            byte[] cut = Arrays.copyOf(PLAIN_RESULT, length);
            assertThatThrownBy(() -> CallbackMessage.decodePlain(reader(cut))).isInstanceOf(Nfs4Exception.class);
        }
        byte[] longTag = HEX.parseHex("00000000ffffffff00000000");

        assertThatThrownBy(() -> CallbackMessage.decodePlain(reader(longTag))).isInstanceOf(Nfs4Exception.class);

        byte[] manyResults = HEX.parseHex("000000000000000000000002");
        assertThatThrownBy(() -> CallbackMessage.decodePlain(reader(manyResults)))
                .isInstanceOf(Nfs4Exception.class);
    }

    @Test
    void result_ofALinuxClient_isBothExecuted() throws Nfs4Exception {
        assertThat(CallbackMessage.decode(reader(RESULT))).isEqualTo(new CallbackOutcome.Compound(0, 0));
    }

    @Test
    void recallSlotResult_eachStatus_isTheOperations() throws Nfs4Exception {
        byte[] result = RESULT.clone();
        result[RESULT.length - 5] = 10;

        assertThat(CallbackMessage.decode(reader(result))).isEqualTo(new CallbackOutcome.Compound(0, 0));

        // NFS4ERR_BAD_HIGH_SLOT
        result[2] = result[RESULT.length - 2] = 0x27;
        result[3] = result[RESULT.length - 1] = 0x5d;
        assertThat(CallbackMessage.decode(reader(result))).isEqualTo(new CallbackOutcome.Compound(0, 10077));
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
