package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code bench compare}, from the command line to the output. */
@Timeout(480)
class BenchCompareCommandTest {
    @TempDir
    private Path temporary;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("bench", "compare"));
        all.addAll(List.of(arguments));
        return Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--only;read-2m;--only read-2m: not one of read-1m, write-1m, read-4k, write-4k, metadata,"
                        + " changes, listing",
                "--servers;tcp,knfsd;--servers knfsd: not one of bare, rdma, rdma-crc, tcp, ganesha",
                "--vers;4.0;--vers 4.0: not one of 3, 4.1",
                "--files;xfs;--files xfs: not one of tmpfs, ext4",
                "--depths;0;--depths 0: not within 1..128",
                "--uids;-1;--uids -1: not within 0..2147483647",
                "--rounds;0;--rounds 0: not within 1..1000",
                "--seconds;0;--seconds 0.0: not within 0.1..3600",
                "--seconds;NaN;--seconds NaN: not within 0.1..3600"
            })
    void badOption_isOneLineThatSaysWhatIsKnown(String option, String value, String message) {
        assertThat(run(option, value)).isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("warpnfs: " + message);
    }

    @ParameterizedTest
    @CsvSource({"--only,metadata,--servers,bare", "--servers,rdma-crc,--only,read-4k", "--servers,bare,--uids,1000"})
    void choiceThatNoCompetitorDoes_isRefused(String first, String value, String second, String other) {
        assertThat(run(first, value, second, other, "--plan")).isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("warpnfs: nothing to measure: none of --servers does what --only and --uids ask for");
    }

    @Test
    void plan_isToldAndNothingRun() {
        assertThat(run("--quick", "--only", "read-1m", "--plan")).isZero();
        assertThat(out.toString())
                .startsWith("1 round of 7 measurements, 1 s each after 0.5 s that do not count: about ");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void targetOfBenchAlone_isStillRequired() {
        assertThat(Main.commandLine().setErr(new PrintWriter(err)).execute("bench"))
                .isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString()).contains("Missing required option: '--target=HOST'");
    }

    @Test
    void fileThatCannotBeWritten_isSaidBeforeAnythingIsMeasured() {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root makes network namespaces");
        assertThat(run("--quick", "--json", temporary.resolve("no/such.json").toString()))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("warpnfs: --json ")
                .endsWith("cannot be written");
    }

    @Test
    void bareLoopAndOurServer_oneShortRound_areMeasuredInANamespace() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root makes network namespaces");
        Path json = temporary.resolve("result.json");
        Path svg = temporary.resolve("result.svg");
        int status = run(
                "--only",
                "read-4k",
                "--servers",
                "bare,tcp",
                "--vers",
                "4.1",
                "--files",
                "tmpfs",
                "--depths",
                "4",
                "--uids",
                "0",
                "--rounds",
                "1",
                "--seconds",
                "1",
                "--warmup",
                "0.5",
                "--json",
                json.toString(),
                "--svg",
                svg.toString());
        assertThat(status).as("%s%n%s", out, err).isZero();
        assertThat(out.toString())
                .contains("READ 4 KiB at random, depth 4, tmpfs, as root", "warpnfs TCP, NFSv4.1", "client CPU us/op");
        assertThat(err.toString()).contains("1 round of ", "warming up, 1 of 1", "round 1 of 1, 2 of 2");
        assertThat(Files.readString(json)).contains("\"competitor\":\"warpnfs TCP\"", "\"failures\":[]");
        assertThat(Files.readString(svg)).startsWith("<svg ").contains("warpnfs TCP, NFSv4.1");
    }
}
