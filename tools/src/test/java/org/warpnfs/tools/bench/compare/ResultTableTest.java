package org.warpnfs.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the table and the JSON for given figures. */
class ResultTableTest {
    private static Results results() {
        Results results = new Results(new Plan(Given.options(List.of(Work.READ_1M), 2)));
        Row bare = Given.row(Work.READ_1M, 8, Kind.BARE_PREAD, 0);
        Row rdma = Given.row(Work.READ_1M, 8, Kind.RDMA, 4);
        Row ganesha = Given.row(Work.READ_1M, 8, Kind.GANESHA, 4);
        results.add(bare, 0, Given.sample(1));
        results.add(rdma, 0, Given.sample(0.5));
        results.add(bare, 1, Given.sample(2));
        results.add(rdma, 1, Given.sample(1.1));
        results.add(ganesha, 1, Given.sample(2));
        results.missing("ext4: mkfs.ext4 is not installed");
        results.failed(Given.row(Work.READ_1M, 8, Kind.TCP, 3), "no answer");
        return results;
    }

    @Test
    void table_hasMediansWithRanges_theClientsOwnCost_andGoals() {
        List<String> lines = ResultTable.lines(results());
        assertThat(lines.getFirst())
                .matches("READ 1 MiB, depth 8, tmpfs, as root +MB/s +server CPU s/GiB +client CPU s/GiB +50% us.*");
        assertThat(lines.get(1)).matches("  bare pread \\+ writev +1049 +1\\.54 \\(1\\.02-2\\.05\\) +0\\.128 .*");
        assertThat(lines)
                .anyMatch(line ->
                        line.matches("  READ 1 MiB depth 8, tmpfs: warpnfs RDMA, NFSv4\\.1 / bare pread \\+ writev +"
                                + "server CPU s/GiB +0\\.525 \\(0\\.500-0\\.550\\) +at most 0\\.60 +met"));
        assertThat(lines).anyMatch(line -> line.matches(".*/ NFS-Ganesha TCP +MB/s +1\\.00 +at least 1\\.80 +missed"));
        assertThat(lines)
                .contains("not compared: ext4: mkfs.ext4 is not installed")
                .contains("failed: READ 1 MiB, depth 8, tmpfs, as root: warpnfs TCP, NFSv3: no answer");
        assertThat(lines).noneMatch(line -> line.contains("NaN") || line.contains("Infinity"));
    }

    @Test
    void goalOfAFigure_isComparedWithTheFigureItself() {
        Results results = new Results(new Plan(Given.options(List.of(Work.LIST_4K), 1)));
        results.add(Given.row(Work.LIST_4K, 1, Kind.TCP, 3), 0, Given.sample(0.0012));
        assertThat(ResultTable.lines(results))
                .anyMatch(line -> line.matches("  READDIR of .* depth 1, tmpfs: warpnfs TCP, NFSv3 +"
                        + "server CPU us/op +1\\.20 +at most 1\\.50 +met"));
    }

    @Test
    void ratio_isOfTheSameRound() {
        Results results = results();
        Row rdma = Given.row(Work.READ_1M, 8, Kind.RDMA, 4);
        Row ganesha = Given.row(Work.READ_1M, 8, Kind.GANESHA, 4);
        assertThat(results.ratio(rdma, ganesha, Figure.SERVER_GIB))
                .hasValueSatisfying(ratio -> assertThat(ratio.median()).isCloseTo(0.55, within(1e-9)));
    }

    @Test
    void twoBuilds_areComparedWithinEachRound() {
        Results results = new Results(new Plan(Given.twoBuilds(List.of(Work.READ_4K))));
        results.add(Given.row(Work.READ_4K, 8, Kind.TCP, 4), 0, Given.sample(1));
        results.add(Given.row(Work.READ_4K, 8, Kind.OTHER_TCP, 4), 0, Given.sample(2));
        results.add(Given.row(Work.READ_4K, 8, Kind.TCP, 4), 1, Given.sample(9));
        results.add(Given.row(Work.READ_4K, 8, Kind.OTHER_TCP, 4), 1, Given.sample(10));
        assertThat(ResultTable.lines(results))
                .anyMatch(line -> line.matches("  READ 4 KiB at random, depth 8, tmpfs, as root: warpnfs TCP, NFSv4.1 +"
                        + "server CPU us/op +0\\.700 \\(0\\.500-0\\.900\\)"))
                .noneMatch(line -> line.contains("warpnfs RDMA, NFSv4.1   "));
    }

    @Test
    void somethingFailed_result_isNotClean() {
        assertThat(results().clean()).isFalse();
        Results results = new Results(new Plan(Given.options(List.of(Work.READ_1M), 1)));
        assertThat(results.clean()).isFalse();
        results.add(Given.row(Work.READ_1M, 8, Kind.TCP, 4), 0, Given.sample(1));
        assertThat(results.clean()).isTrue();
    }

    @Test
    void json_hasEveryRound_theMedians_andTheGoals() {
        String json = ResultJson.of(results());
        assertThat(json)
                .startsWith("{\"host\":{\"kernel\":")
                .contains("{\"work\":\"read-1m\",\"depth\":8,\"files\":\"tmpfs\",\"uid\":0,"
                        + "\"competitor\":\"warpnfs RDMA\",\"server\":\"rdma\",\"vers\":\"4.1\"")
                .contains("\"server_cpu_seconds_per_gib\":{\"median\":1.53600,\"min\":1.02400,\"max\":2.04800}")
                .contains("\"rounds\":[{\"operations\":1000,\"seconds\":1.00000,")
                .contains("\"ratio\":{\"median\":0.525000,\"min\":0.500000,\"max\":0.550000},"
                        + "\"bound\":\"at most\",\"goal\":0.600000,\"met\":true}")
                .contains("\"missing\":[\"ext4: mkfs.ext4 is not installed\"]")
                .contains("\"why\":\"no answer\"");
    }
}
