package org.warpnfs.fs.local.libc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DescriptorPressureTest {
    @Test
    void relief_thatNeedsADescriptorItself_isNotAskedOnceMore() {
        AtomicInteger asked = new AtomicInteger();
        DescriptorPressure.Relief relief = () -> {
            if (asked.incrementAndGet() < 3) {
                assertThat(DescriptorPressure.relieve()).as("within a relief").isFalse();
            }
            return true;
        };
        DescriptorPressure.register(relief);
        try {
            assertThat(DescriptorPressure.relieve()).isTrue();
            assertThat(asked).hasValue(1);

            assertThat(DescriptorPressure.relieve()).as("afterwards").isTrue();
            assertThat(asked).hasValue(2);
        } finally {
            DescriptorPressure.unregister(relief);
        }
    }
}
