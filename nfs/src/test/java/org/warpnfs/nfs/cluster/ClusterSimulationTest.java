package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.Seeds;

/** The protocol of a cluster through crashes at any step. A failure names its seed. */
class ClusterSimulationTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final ClusterTiming TIMING = new ClusterTiming(SECOND, 5 * SECOND, 8 * SECOND, 20 * SECOND);
    private static final long GRACE = 10 * SECOND;
    /** Until the last gateway enforces: it may be held up for as long as it is not fenced. */
    private static final long LINGER = TIMING.deadNanos() + TIMING.fenceNanos() + 5 * SECOND;

    @Test
    void crashesAtAnyStep_neverGiveAwayWhatMayBeReclaimed_andGraceEnds() {
        AtomicInteger stops = new AtomicInteger();
        Seeds.each(150, seed -> {
            // Of more than five a node does not look at all others, and writes for them.
            int gateways = seed % 10 == 0 ? 11 : 2 + (int) (seed % 4);
            ClusterSimulation world = new ClusterSimulation(
                    new ClusterSimulation.Shape(gateways, 4 * gateways, 6 * gateways, LINGER, 0.003, 0.0005),
                    TIMING,
                    GRACE,
                    seed);
            world.run(200 * SECOND, SECOND);
            world.calmDown();
            world.run(100 * SECOND, SECOND);
            assertThat(world.store.latest().isGrace()).as("grace has ended").isFalse();
            assertThat(world.everyoneWorks()).isTrue();
            assertThat(world.granted).isPositive();
            stops.addAndGet(world.stops);
        });
        assertThat(stops).hasPositiveValue();
    }

    /** Also shows that the simulation would notice. */
    @Test
    void locksThatEndWithTheirGateway_mayBeTakenBeforeTheOthersHaveNoticed() {
        ClusterSimulation.Shape forgetful = new ClusterSimulation.Shape(3, 12, 6, 0, 0.003, 0);
        long found = LongStream.rangeClosed(1, 20)
                .filter(seed -> {
                    ClusterSimulation world = new ClusterSimulation(forgetful, TIMING, GRACE, seed);
                    try {
                        world.run(200 * SECOND, SECOND);
                        return false;
                    } catch (AssertionError e) {
                        return e.getMessage().contains("which may still reclaim it");
                    }
                })
                .count();
        assertThat(found).isPositive();
    }
}
