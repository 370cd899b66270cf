package org.warpnfs.nfs.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.Test;
import org.warpnfs.payload.UnreadBytes;
import org.warpnfs.testkit.Seeds;

/** Calls are distinguished by their bytes, whatever stream they come in. */
class CallChecksumTest {
    /** A transport's stream whose bytes are in several buffers. */
    private static final class Pieces extends Xdr implements UnreadBytes {
        private final ByteBuffer[] pieces;

        Pieces(ByteBuffer... pieces) {
            super(8);
            this.pieces = pieces;
        }

        @Override
        public void forEachUnread(Consumer<ByteBuffer> piece) {
            for (ByteBuffer each : pieces) {
                piece.accept(each.duplicate());
            }
        }
    }

    private static Xdr plain(byte[] bytes) {
        Xdr xdr = new Xdr(bytes);
        xdr.beginDecoding();
        return xdr;
    }

    @Test
    void sameBytes_inAnyPieces_haveTheSameChecksum() {
        Seeds.each(200, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[4 * (1 + random.nextInt(100))];
            random.nextBytes(bytes);
            int cut = random.nextInt(bytes.length + 1);
            ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length - cut).put(bytes, cut, bytes.length - cut);
            Xdr inPieces = new Pieces(ByteBuffer.wrap(bytes, 0, cut), direct.flip());
            assertThat(CallChecksum.ofUnread(inPieces)).isEqualTo(CallChecksum.ofUnread(plain(bytes)));
        });
    }

    @Test
    void otherBytes_moreOrFewer_haveOtherChecksums() {
        byte[] bytes = new byte[64];
        Set<Long> seen = new HashSet<>();
        assertThat(seen.add(CallChecksum.ofUnread(plain(bytes)))).isTrue();
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            byte[] other = bytes.clone();
            other[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(seen.add(CallChecksum.ofUnread(plain(other))))
                    .as("bit %d", bit)
                    .isTrue();
        }
        for (int length = 0; length < bytes.length; length += 4) {
            assertThat(seen.add(CallChecksum.ofUnread(plain(new byte[length])))).isTrue();
        }
    }

    @Test
    void checksum_taken_isOfTheRestAndLeavesItToBeDecoded() throws Exception {
        Xdr xdr = plain(new byte[] {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3});
        assertThat(xdr.xdrDecodeInt()).isEqualTo(1);
        assertThat(CallChecksum.ofUnread(xdr))
                .isEqualTo(CallChecksum.ofUnread(plain(new byte[] {0, 0, 0, 2, 0, 0, 0, 3})));
        assertThat(xdr.xdrDecodeInt()).isEqualTo(2);
        assertThat(xdr.xdrDecodeInt()).isEqualTo(3);
    }
}
