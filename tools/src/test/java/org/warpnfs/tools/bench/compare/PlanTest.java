package org.warpnfs.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanTest {
    @Test
    void everyGoal_hasItsRowsInTheWholePlan() {
        Plan plan = new Plan(Given.everything());
        Results results = new Results(plan);
        plan.rows().forEach(row -> results.add(row, 0, Given.sample(1)));
        assertThat(Goal.reached(results).stream().map(Goal.Reached::goal).distinct())
                .containsExactlyElementsOf(Goal.ALL);
    }

    @Test
    void bareLoops_standBesideTheServers_asRootAlone() {
        Plan plan = new Plan(Given.options(List.of(Work.READ_1M, Work.WRITE_4K), 1));
        assertThat(plan.rows())
                .filteredOn(row -> row.work() == Work.READ_1M)
                .extracting(row -> row.competitor().title())
                .containsExactly(
                        "bare pread + writev",
                        "bare mmap + writev",
                        "bare splice",
                        "warpnfs RDMA, NFSv3",
                        "warpnfs RDMA, NFSv4.1",
                        "warpnfs RDMA with CRC, NFSv3",
                        "warpnfs RDMA with CRC, NFSv4.1",
                        "warpnfs TCP, NFSv3",
                        "warpnfs TCP, NFSv4.1",
                        "NFS-Ganesha TCP, NFSv3",
                        "NFS-Ganesha TCP, NFSv4.1");
        assertThat(plan.rows())
                .filteredOn(row -> row.uid() == 1000)
                .isNotEmpty()
                .allMatch(row -> row.depth() == 32 && !row.competitor().kind().bare());
    }

    @Test
    void rounds_haveTheSameRows_andBeginWithAnotherEach() {
        Plan plan = new Plan(Given.options(List.of(Work.READ_1M), 3));
        assertThat(plan.round(0)).containsExactlyElementsOf(plan.rows());
        assertThat(plan.round(1)).containsExactlyInAnyOrderElementsOf(plan.rows());
        assertThat(plan.round(1).getFirst()).isEqualTo(plan.rows().get(1));
        assertThat(plan.round(1).getLast()).isEqualTo(plan.rows().getFirst());
    }

    @Test
    void workWithNames_isMeasuredTogether() {
        Plan plan = new Plan(Given.options(List.of(Work.CREATE, Work.GETATTR, Work.READDIR, Work.REMOVE), 1));
        assertThat(plan.rows()).extracting(Row::work).contains(Work.GETATTR, Work.READDIR, Work.REMOVE);
        assertThat(plan.round(0)).isNotEmpty().allMatch(row -> row.work() == Work.CREATE);
        assertThat(plan.settling()).allMatch(row -> row.work() == Work.CREATE);
    }

    @Test
    void listingsAndChanges_areMeasuredByThemselves() {
        Plan plan = new Plan(Given.options(List.of(Work.LIST_1000, Work.PLUS_64K, Work.CHANGE), 1));
        assertThat(plan.round(0)).containsExactlyInAnyOrderElementsOf(plan.rows());
        assertThat(plan.rows()).filteredOn(row -> row.work() == Work.LIST_1000).allMatch(row -> row.depth() == 1);
        assertThat(plan.rows())
                .extracting(row -> row.competitor().kind())
                .containsOnly(Kind.RDMA, Kind.TCP, Kind.GANESHA);
        assertThat(Work.LIST_1000.choice()).isEqualTo(Work.PLUS_64K.choice()).isNotEqualTo(Work.CREATE.choice());
        assertThat(Work.CHANGE.choice()).isNotEqualTo(Work.CREATE.choice());
    }

    @Test
    void choices_areKept() {
        Plan plan = new Plan(new CompareOptions(
                List.of(Work.READ_4K),
                List.of(2),
                List.of(Tree.EXT4),
                List.of(7),
                Set.of("tcp", "bare"),
                Optional.empty(),
                List.of(4),
                1,
                Duration.ofSeconds(1),
                Duration.ZERO));
        assertThat(plan.rows()).containsExactly(new Row(Work.READ_4K, 2, Tree.EXT4, 7, new Competitor(Kind.TCP, 4)));
    }

    @Test
    void anotherBuild_isMeasuredWhereThisOneIs_andOnlyIfThereIsOne() {
        Plan plan = new Plan(Given.twoBuilds(List.of(Work.READ_1M, Work.CHANGE)));
        assertThat(plan.rows())
                .filteredOn(row -> row.competitor().kind().other())
                .hasSize(3 + 3 * 2)
                .allMatch(row ->
                        plan.rows().contains(row.of(row.competitor().kind().ofThisBuild())));
        assertThat(new Plan(Given.everything()).rows())
                .noneMatch(row -> row.competitor().kind().other());
    }

    @Test
    void summary_saysHowLongItTakes_andTheMostThatItTakes() {
        Plan plan = new Plan(Given.options(List.of(Work.READ_1M), 5));
        assertThat(plan.summary())
                .startsWith("5 rounds of 11 measurements, 2 s each after 0.5 s that do not count: about ")
                .contains(" minutes, at most ");
        assertThat(plan.most()).isGreaterThan(plan.expected());
    }
}
