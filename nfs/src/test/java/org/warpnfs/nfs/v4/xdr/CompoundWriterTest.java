package org.warpnfs.nfs.v4.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.Test;
import org.warpnfs.payload.Payload;

/** Who has the payloads of a reply that cannot be encoded. */
class CompoundWriterTest {
    /** Data of which a copy may be impossible, as those of a file range whose disk has failed. */
    private static final class Data implements Payload {
        private final boolean canBeCopied;
        private int released;

        Data(boolean canBeCopied) {
            this.canBeCopied = canBeCopied;
        }

        @Override
        public ByteBuffer buffer() {
            return ByteBuffer.allocateDirect(8);
        }

        @Override
        public ByteBuffer bytes() {
            if (!canBeCopied) {
                throw new IllegalStateException("as the test says");
            }
            return buffer();
        }

        @Override
        public void release() {
            released++;
        }
    }

    @Test
    void truncate_rightBehindAPayload_keepsIt() {
        Data data = new Data(true);
        CompoundWriter out = new CompoundWriter();
        out.payload(data);
        int next = out.position();
        out.int32(7);

        out.truncate(next);

        assertThat(data.released).isZero();
        assertThat(out.toByteArray()).isEqualTo(new byte[] {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0});
        out.truncate(0);
        assertThat(data.released).isEqualTo(1);
        assertThat(out.sizeBytes()).isZero();
    }

    @Test
    void release_afterAPayloadCouldNotBeEncoded_releasesEachOnce() {
        Data first = new Data(true);
        Data broken = new Data(false);
        Data last = new Data(true);
        CompoundWriter out = new CompoundWriter();
        out.int32(1);
        out.payload(first);
        out.payload(broken);
        out.int32(2);
        out.payload(last);
        Xdr xdr = new Xdr(256);
        xdr.beginEncoding();

        assertThatThrownBy(() -> out.writeTo(xdr)).isInstanceOf(IllegalStateException.class);
        out.release();

        assertThat(first.released).isEqualTo(1);
        assertThat(broken.released).isEqualTo(1);
        assertThat(last.released).isEqualTo(1);
    }
}
