package org.warpnfs.fs.ceph.libcephfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What the library calls. It needs the library, but no cluster. */
class LeaseCallsTest {
    private static final long NUMBER = -1;

    @Test
    void breaking_whenWhoIsToldThrows_returnsToTheLibrary() {
        assumeThat(Library.missing()).isEmpty();
        int[] told = new int[1];
        LeaseCalls.TOLD.put(NUMBER, () -> {
            told[0]++;
            throw new OutOfMemoryError("of a test");
        });
        try {
            LeaseCalls.breaking(MemorySegment.NULL, MemorySegment.ofAddress(NUMBER));
        } finally {
            LeaseCalls.TOLD.remove(NUMBER);
        }
        assertThat(told).containsExactly(1);
    }
}
