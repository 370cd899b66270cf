package org.warpnfs.nfs.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.xdr.PayloadXdr;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.payload.Source;

/** Replies with payloads that are kept and sent again. */
class EncodedReplyTest {
    private final PayloadPool pool = new PayloadPool(1 << 16, 1 << 16);

    /** A word, a payload of five bytes, a word, an empty payload. */
    private final class Result implements XdrAble {
        private final Payload payload = pool.tryAcquire(5);

        Result() {
            payload.bytes().put(0, new byte[] {1, 2, 3, 4, 5});
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            xdr.xdrEncodeInt(7);
            PayloadXdr.encode(xdr, payload);
            xdr.xdrEncodeInt(9);
            PayloadXdr.encode(xdr, Payload.unpooled(ByteBuffer.allocate(0)));
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            throw new AssertionError();
        }
    }

    private static final class Door extends Xdr implements PayloadEncoder {
        final List<ByteBuffer> through = new ArrayList<>();

        Door() {
            super(64);
        }

        @Override
        public void xdrEncodeInlinePayload(Payload payload) {
            xdrEncodePayload(payload);
        }

        @Override
        public int maxInlinePayloadBytes() {
            return Integer.MAX_VALUE;
        }

        @Override
        public void xdrEncodePayload(Source payload) {
            through.add(payload.bytes());
            xdrEncodeByteBuffer(payload.bytes().duplicate());
            payload.release();
        }
    }

    private static byte[] encoded(XdrAble reply, Xdr xdr) throws Exception {
        xdr.beginEncoding();
        reply.xdrEncode(xdr);
        xdr.endEncoding();
        return xdr.getBytes();
    }

    @Test
    void payload_kept_isGivenBackAndLeavesByItsDoorEachTime() throws Exception {
        byte[] expected = {0, 0, 0, 7, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0};
        EncodedReply reply = EncodedReply.of(new Result());
        assertThat(pool.lentBytes()).as("pinned").isZero();
        for (int time = 0; time < 3; time++) {
            Door door = new Door();
            assertThat(encoded(reply, door)).isEqualTo(expected);
            assertThat(door.through).hasSize(2);
            assertThat(encoded(reply, new Xdr(64))).as("without a door").isEqualTo(expected);
        }
        assertThat(reply.heapBytes()).isBetween(8 + 5, 8 + 5 + 2 * 128);
    }
}
