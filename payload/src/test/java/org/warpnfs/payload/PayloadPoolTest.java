package org.warpnfs.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PayloadPoolTest {
    private static final int MAX = 1 << 20;

    private final PayloadPool pool = new PayloadPool(2L * MAX, MAX);

    @Test
    void acquire_lengthBetweenClasses_viewHasTheLengthAskedFor() {
        for (int length : new int[] {0, 1, 4095, 4096, 4097, 65_536, MAX - 1, MAX}) {
            Payload payload = pool.tryAcquire(length);
            assertThat(payload).isNotNull();
            assertThat(payload.lengthBytes()).isEqualTo(length);
            assertThat(payload.buffer().isDirect()).isTrue();
            assertThat(payload.buffer().alignmentOffset(0, PayloadPool.ALIGNMENT_BYTES))
                    .isZero();
            payload.release();
        }
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void acquire_budgetUsedUp_refusedUntilARelease() {
        Payload first = pool.tryAcquire(MAX);
        Payload second = pool.tryAcquire(MAX);
        assertThat(pool.tryAcquire(1)).isNull();
        assertThat(pool.lentBytes()).isEqualTo(2L * MAX);
        first.release();
        Payload small = pool.tryAcquire(1);
        assertThat(small).isNotNull();
        small.release();
        second.release();
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void acquire_keptBuffersOfOtherClasses_giveWay() {
        List<Payload> small = new ArrayList<>();
        for (Payload p = pool.tryAcquire(4096); p != null; p = pool.tryAcquire(4096)) {
            small.add(p);
        }
        assertThat(small).hasSize(MAX / 4096);
        small.forEach(Payload::release);
        assertThat(pool.tryAcquire(MAX)).isNotNull();
        assertThat(pool.tryAcquire(MAX)).isNotNull();
        assertThat(pool.tryAcquire(MAX)).isNull();
    }

    @Test
    void release_twice_isABugThatShows() {
        Payload payload = pool.tryAcquire(10);
        payload.release();
        assertThatThrownBy(payload::release).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(payload::buffer).isInstanceOf(IllegalStateException.class);
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void construct_budgetBelowOneBuffer_saysSo() {
        assertThatThrownBy(() -> new PayloadPool(MAX - 1, MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("budget");
    }

    @Test
    void acquire_beyondTheLimit_isABugThatShows() {
        assertThatThrownBy(() -> pool.tryAcquire(MAX + 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pool.tryAcquire(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void acquire_largestClassNotAPowerOfTwo_isRoundedToPages() {
        PayloadPool odd = new PayloadPool(4L * MAX, MAX + 5000);
        assertThat(odd.maxLengthBytes()).isEqualTo(MAX + 8192);
    }
}
