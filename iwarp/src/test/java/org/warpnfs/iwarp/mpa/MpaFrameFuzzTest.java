package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Arbitrary bytes as a startup frame cause a violation, or give a frame that can be answered, rejected and encoded
 * again.
 */
class MpaFrameFuzzTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int OFFERED_READS = 8;

    @FuzzTest
    void anyBytes_asARequest_areRefusedOrAnswered(byte[] input) throws MpaViolation {
        MpaFrame request = read(MpaFrame.Kind.REQUEST, input);
        if (request == null) {
            return;
        }
        assertThat(again(MpaNegotiation.reject(request, NOTHING)).rejected()).isTrue();
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request, MpaChoices.defaults(), OFFERED_READS, OFFERED_READS, NOTHING);
        assertThat(again(answer.reply())).isEqualTo(answer.reply());
        assertThat(answer.agreement().reads().ird()).isBetween(0, OFFERED_READS);
        assertThat(answer.agreement().reads().ord()).isBetween(0, OFFERED_READS);
        assertThat(answer.agreement().framing())
                .isEqualTo(new MpaAgreement.Framing(request.crc(), request.markers(), false));
    }

    @FuzzTest
    void anyBytes_asAReply_areRefusedOrConcluded(byte[] input) {
        MpaFrame reply = read(MpaFrame.Kind.REPLY, input);
        if (reply == null || reply.rejected()) {
            return;
        }
        for (boolean peerToPeer : new boolean[] {false, true}) {
            MpaChoices choices =
                    MpaChoices.defaults().withCrcPolicy(CrcPolicy.REQUIRED).withPeerToPeer(peerToPeer);
            MpaFrame request = MpaNegotiation.request(choices, OFFERED_READS, OFFERED_READS, NOTHING);
            try {
                MpaAgreement agreement = MpaNegotiation.conclude(request, reply, choices, OFFERED_READS, OFFERED_READS);
                assertThat(agreement.framing()).isEqualTo(new MpaAgreement.Framing(true, reply.markers(), false));
                assertThat(agreement.reads().ird()).isBetween(0, OFFERED_READS);
                assertThat(agreement.reads().ord()).isBetween(0, OFFERED_READS);
                assertThat(agreement.rtrKinds()).hasSize(peerToPeer ? 1 : 0);
            } catch (MpaViolation violation) {
                assertThat(violation.detail()).isNotEmpty();
            }
        }
    }

    /** The frame, which must be the same whether it comes at once or byte by byte; null if there is none. */
    private static MpaFrame read(MpaFrame.Kind kind, byte[] input) {
        MpaFrame whole = read(kind, input, input.length);
        MpaFrame cut = read(kind, input, 1);
        assertThat(cut).isEqualTo(whole);
        return whole;
    }

    private static MpaFrame read(MpaFrame.Kind kind, byte[] input, int pieceBytes) {
        MpaFrameReader reader = new MpaFrameReader(kind);
        try {
            for (int at = 0; at < input.length; at += pieceBytes) {
                ByteBuffer piece = ByteBuffer.wrap(input, at, Math.min(pieceBytes, input.length - at));
                MpaFrame frame = reader.read(piece);
                if (frame != null) {
                    assertThat(frame.lengthBytes()).isEqualTo(piece.position());
                    return frame;
                }
            }
        } catch (MpaViolation violation) {
            assertThat(violation.error()).isEqualTo(MpaError.BAD_FRAME);
        }
        return null;
    }

    private static MpaFrame again(MpaFrame frame) throws MpaViolation {
        ByteBuffer bytes = ByteBuffer.allocate(frame.lengthBytes());
        frame.encode(bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        byte[] sent = Arrays.copyOf(bytes.array(), bytes.capacity());
        MpaFrame back = new MpaFrameReader(frame.kind()).read(ByteBuffer.wrap(sent));
        assertThat(back).isNotNull();
        return back;
    }
}
