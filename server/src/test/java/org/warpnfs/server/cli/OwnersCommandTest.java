package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code owners}: what it prints, and its exit status. */
class OwnersCommandTest {
    private static final int USER = 1000;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int owners(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        String[] all = new String[arguments.length + 1];
        all[0] = "owners";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return commandLine.execute(all);
    }

    @Test
    void wrongCommandLine_isSaid() {
        assertThat(owners()).isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString()).contains("which way? export or import");
        assertThat(owners("import", directory.toString())).isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString()).contains("--server-user");
        assertThat(owners("import", "--server-user", "4294967295", directory.toString()))
                .isEqualTo(Main.USAGE_ERROR);
        assertThat(err.toString()).contains("--server-user needs the number of a user");
    }

    @Test
    void directoryThatIsMissing_isSaidInOneLine() {
        assertThat(owners("export", directory.resolve("missing").toString())).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("missing: ").hasLineCount(1);
    }

    @Test
    void importAndExport_leadBack() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root converts owners");
        Path file = Files.writeString(directory.resolve("f"), "text");
        Files.setAttribute(file, "unix:uid", USER);
        int before = (Integer) Files.getAttribute(file, "unix:mode");

        assertThat(owners("import", "--server-user", "65532", directory.toString()))
                .as(err.toString())
                .isZero();
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(65_532);
        assertThat(owners("export", directory.toString())).as(err.toString()).isZero();

        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(USER);
        assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(before);
        assertThat(out.toString().lines()).containsOnly("2 files converted, 0 not");
    }
}
