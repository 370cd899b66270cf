package org.warpnfs.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.tools.bench.BenchException;

@Timeout(300)
class BareLoopTest {
    @TempDir
    private Path directory;

    /** Each bare loop checks that it moves the right bytes, and its exit status shows the result. */
    @Test
    void eachLoop_compiledAndRun_movesTheRightBytesAndLeavesNothing() throws Exception {
        assumeThat(Programs.find("cc")).as("a C compiler").isPresent();
        BareLoop loop = BareLoop.compile(directory);
        Path files = Files.createDirectory(directory.resolve("files"));
        for (Kind kind : List.of(Kind.BARE_PREAD, Kind.BARE_MMAP, Kind.BARE_SPLICE, Kind.BARE_PWRITE)) {
            for (Work work : Work.values()) {
                if (kind.does(work)) {
                    Row row = Given.row(work, 3, kind, 0);
                    Sample sample = loop.measure(row, files, Duration.ofMillis(20), Duration.ofMillis(50));
                    assertThat(sample.operations()).as(row.title()).isPositive();
                    assertThat(sample.p50Micros()).isPositive().isLessThanOrEqualTo(sample.p999Micros());
                    assertThat(sample.serverSeconds()).isPositive();
                    assertThat(sample.clientSeconds()).isPositive();
                }
            }
        }
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void whatTheLoopPrints_isTaken() throws Exception {
        assertThat(BareLoop.parse("""
                operations 10
                nanos 2000000000
                server_cpu_nanos 1500000000
                client_cpu_nanos 500000000
                p50_nanos 1000
                p99_nanos 2500
                p999_nanos 3000
                """)).isEqualTo(new Sample(10, 2, 1, 2.5, 3, 1.5, 0.5));
    }

    @Test
    void anythingElse_isRefused() {
        assertThatThrownBy(() -> BareLoop.parse("Segmentation fault"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("the bare loop said: Segmentation fault");
        assertThatThrownBy(() -> BareLoop.parse("operations 10\n"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("nanos");
        String nothing = """
                operations 0
                nanos 1
                server_cpu_nanos 1
                client_cpu_nanos 1
                p50_nanos 1
                p99_nanos 1
                p999_nanos 1
                """;
        assertThatThrownBy(() -> BareLoop.parse(nothing))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("did nothing");
    }
}
