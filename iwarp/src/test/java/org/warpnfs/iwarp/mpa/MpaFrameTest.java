package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.testkit.Capture;
import org.warpnfs.testkit.CapturedConnection;
import org.warpnfs.testkit.StreamCutter;

class MpaFrameTest {
    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";

    private static MpaFrame read(MpaFrame.Kind kind, ByteBuffer stream) throws MpaViolation {
        return new MpaFrameReader(kind).read(stream);
    }

    private static String encoded(MpaFrame frame) {
        ByteBuffer out = ByteBuffer.allocate(frame.lengthBytes());
        frame.encode(out);
        return Hex.of(out.flip());
    }

    @Test
    void read_requestOfTheLinuxNfsClient_isUnderstoodAndEncodedAlike() throws MpaViolation {
        CapturedConnection linux = Capture.load("knfsd-v4.1").connectionTo(20049);
        MpaFrame request = read(MpaFrame.Kind.REQUEST, linux.fromInitiator());
        assertThat(request.revision()).isEqualTo(2);
        assertThat(request.markers() || request.crc() || request.rejected()).isFalse();
        assertThat(request.enhancedBlock()).isEqualTo(EnhancedBlock.of(128, 0));
        assertThat(Hex.of(request.upperLayerPrivateData())).isEqualTo("f6ab0e1801010303");
        assertThat(encoded(request)).isEqualTo(Hex.of(linux.fromInitiator().limit(32)));
        MpaFrame reply = read(MpaFrame.Kind.REPLY, linux.fromResponder());
        assertThat(reply.enhancedBlock()).isEqualTo(EnhancedBlock.of(0, 128));
        assertThat(encoded(reply)).isEqualTo(Hex.of(linux.fromResponder().limit(32)));
    }

    @Test
    void read_peerToPeerStartupOfSiw_isUnderstoodAndEncodedAlike() throws MpaViolation {
        CapturedConnection linux = Capture.load("p2p").connectionTo(20049);
        MpaFrame request = read(MpaFrame.Kind.REQUEST, linux.fromInitiator());
        assertThat(request.enhancedBlock()).isEqualTo(new EnhancedBlock(true, false, true, true, 128, 1));
        assertThat(encoded(request)).isEqualTo(Hex.of(linux.fromInitiator().limit(request.lengthBytes())));
        MpaFrame reply = read(MpaFrame.Kind.REPLY, linux.fromResponder());
        assertThat(reply.enhancedBlock()).isEqualTo(new EnhancedBlock(true, false, true, false, 1, 128));
        assertThat(encoded(reply)).isEqualTo(Hex.of(linux.fromResponder().limit(reply.lengthBytes())));
    }

    @Test
    void read_revision1OfSiw_hasNoBlock() throws MpaViolation {
        CapturedConnection linux = Capture.load("mpa1").connections().getFirst();
        MpaFrame request = read(MpaFrame.Kind.REQUEST, linux.fromInitiator());
        assertThat(request.revision()).isEqualTo(1);
        assertThat(request.hasEnhancedBlock()).isFalse();
        assertThat(Hex.of(request.upperLayerPrivateData())).isEqualTo("f6ab0e1801010303");
        assertThat(encoded(request)).isEqualTo(Hex.of(linux.fromInitiator().limit(28)));
    }

    @Test
    void read_bothCrcFlags_areSeen() throws MpaViolation {
        CapturedConnection linux = Capture.load("crc-both").connectionTo(20049);
        assertThat(read(MpaFrame.Kind.REQUEST, linux.fromInitiator()).crc()).isTrue();
        assertThat(read(MpaFrame.Kind.REPLY, linux.fromResponder()).crc()).isTrue();
    }

    @Test
    void read_everyTruncation_waitsAndTakesNothingBeyond() throws MpaViolation {
        ByteBuffer stream = Capture.load("knfsd-v4.1").connectionTo(20049).fromInitiator();
        for (int length = 0; length < 32; length++) {
            MpaFrameReader reader = new MpaFrameReader(MpaFrame.Kind.REQUEST);
            assertThat(reader.read(stream.duplicate().limit(length))).isNull();
            ByteBuffer rest = stream.duplicate().position(length);
            assertThat(reader.read(rest)).isNotNull();
            assertThat(rest.position()).isEqualTo(32);
        }
    }

    @Test
    void read_byteByByte_isTheSame() throws MpaViolation {
        ByteBuffer stream =
                Capture.load("p2p").connectionTo(20049).fromInitiator().limit(32);
        MpaFrameReader reader = new MpaFrameReader(MpaFrame.Kind.REQUEST);
        MpaFrame last = null;
        for (ByteBuffer piece : StreamCutter.every(1).cut(stream)) {
            last = reader.read(piece);
        }
        assertThat(last).isNotNull();
        assertThat(encoded(last)).isEqualTo(Hex.of(stream));
    }

    @Test
    void read_wrongKey_isFoundAtItsFirstWrongByte() {
        for (int i = 0; i < 16; i++) {
            ByteBuffer bytes = Hex.bytes(REQUEST_KEY).limit(i + 1);
            bytes.put(i, (byte) (bytes.get(i) ^ 1));
            assertThatThrownBy(() -> read(MpaFrame.Kind.REQUEST, bytes))
                    .isInstanceOfSatisfying(
                            MpaViolation.class, v -> assertThat(v.error()).isEqualTo(MpaError.BAD_FRAME));
        }
        assertThatThrownBy(() -> read(MpaFrame.Kind.REQUEST, Hex.bytes(REPLY_KEY)))
                .isInstanceOf(MpaViolation.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x01, 0x02, 0x04, 0x08})
    void read_reservedBit_isIgnored(int bit) throws MpaViolation {
        ByteBuffer bytes = Hex.bytes(REQUEST_KEY + "10 02 0004 00800000");
        bytes.put(16, (byte) (0x10 | bit));
        assertThat(encoded(read(MpaFrame.Kind.REQUEST, bytes))).isEqualTo(REQUEST_KEY + "10020004" + "00800000");
    }

    @Test
    void read_rejectBitInARequest_meansNothing() throws MpaViolation {
        assertThat(read(MpaFrame.Kind.REQUEST, Hex.bytes(REQUEST_KEY + "30 02 0004 00800000"))
                        .rejected())
                .isFalse();
        assertThat(read(MpaFrame.Kind.REPLY, Hex.bytes(REPLY_KEY + "30 02 0004 00800000"))
                        .rejected())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"513, 10, 02", "65535, 00, 01", "3, 10, 02", "0, 10, 02"})
    void read_impossibleLength_isAViolation(int lengthBytes, String flags, String revision) {
        ByteBuffer bytes = ByteBuffer.allocate(700)
                .put(Hex.bytes(REQUEST_KEY + flags + revision))
                .putShort((short) lengthBytes)
                .rewind();
        assertThatThrownBy(() -> read(MpaFrame.Kind.REQUEST, bytes)).isInstanceOf(MpaViolation.class);
    }

    @Test
    void read_mostPrivateData_isTaken() throws MpaViolation {
        ByteBuffer bytes = ByteBuffer.allocate(532)
                .put(Hex.bytes(REQUEST_KEY + "1002"))
                .putShort((short) 512)
                .rewind();
        assertThat(read(MpaFrame.Kind.REQUEST, bytes).upperLayerPrivateData().remaining())
                .isEqualTo(508);
    }
}
