package org.warpnfs.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;

/** A report states only what happened. */
class BenchReportTest {
    private static BenchReport report(long operations, long errors, long matches, long mismatches) {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2049);
        BenchOptions options = new BenchOptions(
                server,
                server,
                Protocol.TCP,
                3,
                "/",
                Operation.READ,
                4096,
                4096,
                1,
                1,
                Duration.ofSeconds(1),
                Duration.ZERO,
                OptionalLong.empty(),
                false,
                true,
                false,
                1,
                Duration.ofSeconds(1),
                new AuthSysCredential("bench", 0, 0),
                OptionalLong.of(1),
                null,
                false);
        return new BenchReport(
                options,
                "a server",
                operations,
                1,
                errors,
                errors > 0 ? "no answer" : null,
                0,
                matches,
                mismatches,
                new Histogram(3),
                new ProcessCpu(0.25, 0.25),
                new ProcessCpu(1, 1),
                null);
    }

    private static String verified(BenchReport report) {
        return report.lines().stream()
                .filter(line -> line.startsWith("verified"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void noOperationAndErrors_report_saysThatNothingWasVerifiedAndIsNotClean() {
        BenchReport report = report(0, 8, 0, 0);
        assertThat(verified(report)).isEqualTo("verified    NOTHING: no read came back");
        assertThat(report.clean()).isFalse();
        assertThat(report.lines()).noneMatch(line -> line.contains("Infinity") || line.contains("NaN"));
        assertThat(report.json()).contains("\"matches\":0").doesNotContain("null");
    }

    @Test
    void noReadChecked_report_isNotCleanThoughNothingFailed() {
        assertThat(report(5, 0, 0, 0).clean()).isFalse();
    }

    @Test
    void someFailed_report_saysHowManyWereCheckedAndIsNotClean() {
        BenchReport report = report(5, 1, 5, 0);
        assertThat(verified(report))
                .isEqualTo("verified    5 reads brought what was written; what failed was not checked");
        assertThat(report.clean()).isFalse();
    }

    @Test
    void someMismatched_report_countsThemAndIsNotClean() {
        BenchReport report = report(5, 2, 3, 2);
        assertThat(verified(report)).isEqualTo("verified    2 MISMATCHES among 5 reads");
        assertThat(report.clean()).isFalse();
    }

    @Test
    void generatorsOwnTime_isToldBesideTheServers() {
        BenchReport report = report(5, 0, 5, 0);
        assertThat(report.lines())
                .contains("server CPU  1.00 s user, 1.00 s system, 104857.600 s/GiB, 400000.0 us/operation")
                .contains("client CPU  0.25 s user, 0.25 s system, 26214.400 s/GiB, 100000.0 us/operation");
        assertThat(report.json()).contains("\"client_cpu\":{\"user_seconds\":0.25");
    }

    @Test
    void allMatched_report_saysSoAndIsClean() {
        BenchReport report = report(5, 0, 5, 0);
        assertThat(verified(report)).isEqualTo("verified    what is read is what was written, in 5 reads");
        assertThat(report.clean()).isTrue();
    }
}
