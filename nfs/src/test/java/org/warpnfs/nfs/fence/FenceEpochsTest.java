package org.warpnfs.nfs.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FenceEpochsTest {
    private static final FenceEpochs SOME = new FenceEpochs(-1, 2, Map.of(3L, -4L));

    @Test
    void text_bothWays_isTheSame() {
        byte[] text = SOME.encode();

        assertThat(new String(text, StandardCharsets.US_ASCII))
                .startsWith("warpnfs fences 2\nprocess ffffffffffffffff\nbase 0000000000000002\n"
                        + "0000000000000003 fffffffffffffffc\nend ");
        assertThat(FenceEpochs.parse(text)).isEqualTo(SOME);
    }

    /** A text that is written over a longer one ends in what is left of that. */
    @Test
    void text_withTheRestOfAnother_isTheSame() {
        byte[] longer = SOME.fence(5, 6).encode();
        byte[] text = SOME.encode();
        System.arraycopy(text, 0, longer, 0, text.length);

        assertThat(FenceEpochs.parse(longer)).isEqualTo(SOME);
    }

    @Test
    void text_cutOrChangedAnywhere_isNone() {
        byte[] text = SOME.encode();
        for (int length = 0; length < text.length; length++) {
            assertThat(FenceEpochs.parse(Arrays.copyOf(text, length)))
                    .as("%d bytes", length)
                    .isNull();
        }
        for (int at = 0; at < text.length; at++) {
            byte[] changed = text.clone();
            changed[at] ^= 1;
            assertThat(FenceEpochs.parse(changed)).as("another byte %d", at).isNull();
        }
    }

    /** It is at the same place in every text of a process, so a write in place cannot damage it. */
    @Test
    void process_isReadFromATextThatIsHalfWritten() {
        byte[] before = FenceEpochs.startingAt(9, 1).encode();
        byte[] after = FenceEpochs.startingAt(9, 2).fence(3, 4).encode();
        for (int length = 0; length <= after.length; length++) {
            byte[] torn = Arrays.copyOf(before, Math.max(before.length, length));
            System.arraycopy(after, 0, torn, 0, length);
            assertThat(FenceEpochs.processOf(torn)).as("%d bytes", length).isEqualTo(9);
        }
    }

    @Test
    void process_ofSomethingElse_isNotKnown() {
        byte[] head = "warpnfs fences 2\nprocess 0000000000000009\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(FenceEpochs.processOf(head)).isEqualTo(9);
        for (int length = 0; length < head.length; length++) {
            assertThat(FenceEpochs.processOf(Arrays.copyOf(head, length))).isZero();
        }
        assertThat(FenceEpochs.processOf(null)).isZero();
        head[head.length - 3] = 'x';
        assertThat(FenceEpochs.processOf(head)).isZero();
    }

    @Test
    void file_thatIsFenced_hasAnEpochOfItsOwn() {
        FenceEpochs epochs = FenceEpochs.startingAt(9, 1).fence(7, 2);

        assertThat(epochs.of(7)).isEqualTo(2);
        assertThat(epochs.of(8)).isEqualTo(1);
    }

    @Test
    void files_tooManyOfThem_haveANewEpochTogether() {
        FenceEpochs epochs = FenceEpochs.startingAt(9, -1);
        for (long file = 0; file < FenceEpochs.MAX_FENCED; file++) {
            epochs = epochs.fence(file, 1000 + file);
        }
        assertThat(epochs.of(9999)).isEqualTo(-1);
        assertThat(epochs.encode()).hasSizeLessThan(FenceEpochs.MAX_BYTES);

        epochs = epochs.fence(9999, 5);

        assertThat(epochs.of(9999)).isEqualTo(5);
        assertThat(epochs.of(0)).isEqualTo(5);
        assertThat(epochs.process()).isEqualTo(9);
    }
}
