package org.warpnfs.tools.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PatternTest {
    private final Pattern pattern = new Pattern(1);

    private ByteBuffer filled(long offset, int lengthBytes) {
        ByteBuffer data = ByteBuffer.allocateDirect(lengthBytes);
        pattern.fill(data, offset);
        return data;
    }

    @Test
    void piecesOfAnyCut_compared_agreeWithTheWhole() {
        ByteBuffer whole = filled(0, 20_000);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 500; i++) {
            int from = random.nextInt(20_000);
            int length = random.nextInt(20_000 - from + 1);
            assertThat(filled(from, length)).isEqualTo(whole.slice(from, length));
            assertThat(pattern.matches(whole.slice(from, length), from)).isTrue();
        }
    }

    @Test
    void anyByte_changed_isFound() {
        ByteBuffer data = filled(4090, 5000);
        for (int i = 0; i < 5000; i++) {
            data.put(i, (byte) (data.get(i) + 1));
            assertThat(pattern.matches(data, 4090)).isFalse();
            data.put(i, (byte) (data.get(i) - 1));
        }
        assertThat(pattern.matches(data, 4090)).isTrue();
    }

    @Test
    void otherPageOrSeed_isFound() {
        assertThat(pattern.matches(filled(4096, 8), 0)).isFalse();
        assertThat(new Pattern(2).matches(filled(0, 4096), 0)).isFalse();
    }
}
