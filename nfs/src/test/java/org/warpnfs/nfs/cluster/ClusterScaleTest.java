package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.warpnfs.testkit.Seeds;

/**
 * What a large cluster costs, and how long until everyone works again.
 *
 * <p>{@code -Dwarpnfs.scale=true} simulates 100 gateways with 100,000 clients and prints the table of docs/scale.md.
 */
class ClusterScaleTest {
    private static final long SECOND = ScaleSimulation.SECOND;
    private static final int LEASE_SECONDS = 90;

    private record Failure(String what, int gateways, int restartSeconds) {}

    private static List<String> nodes(int count) {
        return IntStream.range(0, count).mapToObj(ScaleSimulation::name).toList();
    }

    @Test
    void nothingFails_aGatewayCostsTheEngineTheSame_howeverManyThereAre() {
        for (int gateways : List.of(10, 40)) {
            ScaleSimulation world = new ScaleSimulation(gateways, 0, ScaleCosts.USUAL, LEASE_SECONDS, 1);
            world.runFor(60 * SECOND);
            world.store.counts.clear();
            world.runFor(60 * SECOND);
            ScaleStore.Counts counts = world.store.counts;
            assertThat(counts.replaced + counts.refused).isZero();
            // A sign of life, a listing, and those that it looks at.
            assertThat(counts.operations).isLessThanOrEqualTo(61L * gateways * (2 + Ring.WATCHED));
        }
    }

    @Test
    void gatewaysFail_noneOfTheOthersEnds_allClientsComeBack_andTheRecordIsReplacedFewTimes() {
        Seeds.each(6, seed -> {
            int failed = seed % 2 == 0 ? 1 : 8;
            ScaleSimulation world = new ScaleSimulation(40, 50, ScaleCosts.USUAL, LEASE_SECONDS, seed);
            world.runFor(60 * SECOND);
            world.fail(nodes(failed), 10 * SECOND);
            world.runFor(300 * SECOND);
            ScaleSimulation.Result result = world.result();
            assertThat(result.lost).isZero();
            assertThat(result.refused).isZero();
            assertThat(result.recovered).hasSize(50 * failed);
            assertThat(world.everyoneWorks()).isTrue();
            assertThat(world.store.latest().isGrace()).isFalse();
            // Each that starts has to join. What the others and they want beyond that is written together.
            assertThat(world.store.counts.replaced).isLessThanOrEqualTo(3L * failed + 12);
            assertThat(world.store.counts.refused).isLessThanOrEqualTo(40 + 4L * failed);
            assertThat(result.dead).isLessThanOrEqualTo(world.timing.deadNanos() + 3 * world.timing.beatNanos());
            assertThat(result.enforced - result.dead).isLessThanOrEqualTo(6 * world.timing.beatNanos());
        });
    }

    @Test
    void gatewaysThatStayAway_areGivenUp_andTheOthersGoOn() {
        ScaleSimulation world = new ScaleSimulation(40, 50, ScaleCosts.USUAL, LEASE_SECONDS, 1);
        world.runFor(60 * SECOND);
        world.fail(nodes(8), -1);
        world.runFor(300 * SECOND);
        ScaleSimulation.Result result = world.result();
        assertThat(result.lost).isZero();
        assertThat(result.lifted - result.dead)
                .isBetween(world.timing.absentNanos() - SECOND, world.timing.absentNanos() + 10 * SECOND);
        assertThat(world.everyoneWorks()).isTrue();
        assertThat(world.store.latest().members()).hasSize(32);
    }

    @Test
    @EnabledIfSystemProperty(named = "warpnfs.scale", matches = "true")
    void hundredGateways_withAHundredThousandClients_table() {
        long seed = Long.getLong("warpnfs.seed", 1);
        System.out.println("| what fails | declared dead | others enforce | served | half | 99 % | last | all work"
                + " | written | refused | record read | signs read | operations | busiest second | clients too late"
                + " | gateways ended |");
        for (Failure failure : List.of(
                new Failure("nothing, for a minute", 0, 0),
                new Failure("one", 1, 5),
                new Failure("ten", 10, 5),
                new Failure("20", 20, 30),
                new Failure("20, for good", 20, -1),
                new Failure("40", 40, 30),
                new Failure("all", 100, 60))) {
            ScaleSimulation world = new ScaleSimulation(100, 1000, ScaleCosts.USUAL, LEASE_SECONDS, seed);
            world.runFor(60 * SECOND);
            world.store.counts.clear();
            if (failure.gateways() > 0) {
                world.fail(nodes(failure.gateways()), failure.restartSeconds() * SECOND);
            }
            world.runFor((failure.gateways() > 0 ? 600 : 60) * SECOND);
            ScaleSimulation.Result result = world.result();
            ScaleStore.Counts counts = world.store.counts;
            System.out.println("| " + failure.what() + " | " + seconds(result.dead) + " | " + seconds(result.enforced)
                    + " | " + seconds(result.served) + " | " + seconds(result.recovered(0.5)) + " | "
                    + seconds(result.recovered(0.99)) + " | " + seconds(result.recovered(1)) + " | "
                    + seconds(result.lifted) + " | " + counts.replaced + " | " + counts.refused + " | "
                    + counts.recordReads + " | " + counts.beatsRead + " | " + counts.operations + " | "
                    + counts.busiestSecond + " | " + result.refused + " | " + result.lost + " |");
            assertThat(result.lost).isZero();
            assertThat(world.everyoneWorks()).isTrue();
        }
    }

    private static String seconds(long nanos) {
        return nanos < 0 ? "-" : "%.0f".formatted(nanos / 1e9);
    }
}
