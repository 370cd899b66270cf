package org.warpnfs.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Arbitrary bytes as a DDP header: parsed fields encode to the same bytes, and no offset lies outside its buffer. */
class DdpHeaderFuzzTest {
    private static final int BUFFER_BYTES = 4096;

    @FuzzTest
    void anyBytes_asATaggedHeader_keepTheirFieldsAndStayInBounds(byte[] input) {
        if (input.length < TaggedHeader.BYTES + 2) {
            return;
        }
        TaggedHeader header = TaggedHeader.parse(ByteBuffer.wrap(input));
        ByteBuffer out = ByteBuffer.allocate(TaggedHeader.BYTES);
        header.encode(out);
        assertThat(Arrays.copyOfRange(out.array(), 1, TaggedHeader.BYTES))
                .isEqualTo(Arrays.copyOfRange(input, 1, TaggedHeader.BYTES));
        assertThat(TaggedHeader.parse(out.flip())).isEqualTo(header);
        int payloadBytes = ByteBuffer.wrap(input).getChar(TaggedHeader.BYTES);
        for (long base : new long[] {0, 1, 1L << 32, -BUFFER_BYTES, -1}) {
            try {
                int offset = new Bounds(base).offsetOf(header, payloadBytes);
                assertThat(offset).isBetween(0, BUFFER_BYTES - payloadBytes);
                assertThat(base + offset).isEqualTo(header.taggedOffset());
            } catch (DdpViolation violation) {
                assertThat(violation.error()).isIn(DdpError.TAGGED_TO_WRAP, DdpError.TAGGED_BOUNDS);
            }
        }
    }

    @FuzzTest
    void anyBytes_asAnUntaggedHeader_keepTheirFieldsAndStayInBounds(byte[] input) {
        if (input.length < UntaggedHeader.BYTES + 2) {
            return;
        }
        UntaggedHeader header = UntaggedHeader.parse(ByteBuffer.wrap(input));
        ByteBuffer out = ByteBuffer.allocate(UntaggedHeader.BYTES);
        header.encode(out);
        assertThat(Arrays.copyOfRange(out.array(), 1, UntaggedHeader.BYTES))
                .isEqualTo(Arrays.copyOfRange(input, 1, UntaggedHeader.BYTES));
        assertThat(UntaggedHeader.parse(out.flip())).isEqualTo(header);
        int payloadBytes = ByteBuffer.wrap(input).getChar(UntaggedHeader.BYTES);
        UntaggedQueue queue = new UntaggedQueue(0);
        queue.post(new UntaggedBuffer(ByteBuffer.allocate(BUFFER_BYTES)));
        try {
            queue.check(header, payloadBytes);
            assertThat(header.mo() + payloadBytes).isLessThanOrEqualTo(BUFFER_BYTES);
            if (queue.placed(header, payloadBytes) != null) {
                assertThat(header.last() && header.mo() == 0).isTrue();
            }
        } catch (DdpViolation violation) {
            assertThat(violation.detail()).isNotEmpty();
        }
    }

    private record Bounds(long taggedOffset) implements TaggedBuffer {
        @Override
        public int lengthBytes() {
            return BUFFER_BYTES;
        }

        @Override
        public void place(int offsetBytes, ByteBuffer bytes) {
            throw new AssertionError("nothing is placed here");
        }
    }
}
