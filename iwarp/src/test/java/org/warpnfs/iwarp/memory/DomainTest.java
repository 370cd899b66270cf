package org.warpnfs.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.verbs.AccessRight;

/** Several threads use one domain. */
class DomainTest {
    private static final int ROUNDS = 100;
    private static final int PLACERS = 3;
    private static final int REGION_BYTES = 64;

    private final StagRegistry registry = new StagRegistry();
    private final Budget budget = new Budget("registered bytes", 1 << 20);
    private final Domain domain =
            new Domain(registry, new StagSource(new Random(1)), 1 << 16, new Quota(budget, 1 << 20, 0));

    @Test
    @Timeout(300)
    void invalidate_whileOthersPlace_noByteChangesAfterIt() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            ByteBuffer memory = ByteBuffer.allocateDirect(REGION_BYTES);
            Region region = (Region) domain.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
            AtomicBoolean placed = new AtomicBoolean();
            List<Thread> placers = new ArrayList<>();
            for (int i = 0; i < PLACERS; i++) {
                placers.add(Thread.ofPlatform().start(() -> placeUntilRefused(region, placed)));
            }
            while (!placed.get()) {
                Thread.onSpinWait();
            }
            region.invalidate();
            // From here on no other thread writes to the memory, so a late placement would be visible.
            for (int i = 0; i < REGION_BYTES; i++) {
                memory.put(i, (byte) 0x11);
            }
            for (Thread placer : placers) {
                placer.join();
            }
            for (int i = 0; i < REGION_BYTES; i++) {
                assertThat(memory.get(i)).isEqualTo((byte) 0x11);
            }
        }
    }

    private static void placeUntilRefused(Region region, AtomicBoolean placed) {
        ByteBuffer bytes = ByteBuffer.allocate(REGION_BYTES);
        try {
            while (true) {
                region.place(0, bytes.duplicate());
                placed.set(true);
            }
        } catch (DdpViolation expected) {
            assertThat(region.valid()).isFalse();
        }
    }

    @Test
    void stags_manyOfManyScopes_neverRepeatAndSpreadOverAllBits() {
        Set<Long> seen = new HashSet<>();
        int[] ones = new int[32];
        List<Region> regions = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            Region region = (Region) domain.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.REMOTE_READ));
            assertThat(seen.add(region.stag())).isTrue();
            regions.add(region);
            for (int bit = 0; bit < 32; bit++) {
                ones[bit] += (int) (region.stag() >> bit) & 1;
            }
            if (i % 3 == 0) {
                regions.removeFirst().invalidate();
            }
        }
        for (int count : ones) {
            assertThat(count).isBetween(1800, 2200);
        }
        assertThat(registry.size()).isEqualTo(regions.size());
        assertThat(budget.used()).isEqualTo(regions.size());
        regions.forEach(Region::invalidate);
        assertThat(registry.size()).isZero();
        assertThat(budget.used()).isZero();
    }
}
