package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StreamCutterTest {
    private final ByteBuffer stream = ByteBuffer.allocate(300_000);

    StreamCutterTest() {
        new Random(1).nextBytes(stream.array());
    }

    @Test
    void cut_anyCutter_piecesAreTheStream() {
        Seeds.each(20, seed -> {
            for (StreamCutter cutter : List.of(
                    StreamCutter.whole(), StreamCutter.every(1), StreamCutter.every(7), StreamCutter.random(seed))) {
                ByteBuffer joined = ByteBuffer.allocate(stream.capacity());
                cutter.cut(stream).forEach(joined::put);
                assertThat(joined.flip()).isEqualTo(stream);
            }
        });
    }

    @Test
    void cut_sameSeed_sameCuts() {
        assertThat(StreamCutter.random(5).cut(stream))
                .isEqualTo(StreamCutter.random(5).cut(stream))
                .isNotEqualTo(StreamCutter.random(6).cut(stream));
    }

    @Test
    void each_failure_namesTheSeed() {
        List<Long> ran = new ArrayList<>();
        assertThatThrownBy(() -> Seeds.each(10, seed -> {
                    ran.add(seed);
                    if (seed == 3) {
                        throw new IllegalStateException("broken");
                    }
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed 3")
                .hasMessageContaining("broken");
        assertThat(ran).containsExactly(1L, 2L, 3L);
    }
}
