package org.warpnfs.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.server.config.CrcPolicy;

/**
 * Which source of a setting counts: an option before the environment, the environment before the file, and the file
 * before the default.
 */
class ResolvedTest {
    /** One setting of each kind, as an option, as a variable and in the file. */
    static Stream<Arguments> oneOfEachKind() {
        return Stream.of(
                Arguments.of(Settings.RDMA_PORT, List.of("1"), "2", "3", List.of(1L, 2L, 3L, 20_049L)),
                Arguments.of(
                        Settings.PAYLOAD_MEMORY,
                        List.of("9m"),
                        "10M",
                        "11534336",
                        List.of(9L << 20, 10L << 20, 11L << 20, 256L << 20)),
                Arguments.of(
                        Settings.LEASE,
                        List.of("7"),
                        "8s",
                        "1m",
                        List.of(
                                Duration.ofSeconds(7),
                                Duration.ofSeconds(8),
                                Duration.ofMinutes(1),
                                Duration.ofSeconds(90))),
                Arguments.of(
                        Settings.CRC,
                        List.of("ON"),
                        "off",
                        "on",
                        List.of(CrcPolicy.ON, CrcPolicy.OFF, CrcPolicy.ON, CrcPolicy.OFF)),
                Arguments.of(Settings.MARKERS, List.of("true"), "false", "true", List.of(true, false, true, false)),
                Arguments.of(
                        Settings.HTTP, List.of("a:1"), "off", "'c:3'", List.of("a:1", "off", "c:3", "127.0.0.1:9049")),
                Arguments.of(
                        Settings.EXPORT,
                        List.of("/a", "/b"),
                        "/c /d",
                        "[/e, /f]",
                        List.of(List.of("/a", "/b"), List.of("/c", "/d"), List.of("/e", "/f"), List.of())));
    }

    @ParameterizedTest
    @MethodSource("oneOfEachKind")
    void sources_allFour_countInTheirOrder(
            Setting<?> setting, List<String> flag, String variable, String file, List<Object> values) {
        String lines = "# a comment\n" + yaml(setting.key(), file);
        String[] words = flag.toArray(String[]::new);
        Resolved all = Given.file(lines)
                .variable(setting.variable(), variable)
                .flag(setting, words)
                .resolved();
        Resolved noFlag =
                Given.file(lines).variable(setting.variable(), variable).resolved();
        Resolved fileAlone = Given.file(lines).resolved();
        Resolved none = Given.file("").resolved();
        assertThat(List.of(all, noFlag, fileAlone, none))
                .extracting(resolved -> (Object) resolved.get(setting))
                .containsExactlyElementsOf(values);
        assertThat(Stream.of(all, noFlag, none).map(resolved -> resolved.origin(setting)))
                .containsExactly(
                        new Origin.Flag(setting.flag()),
                        new Origin.Environment(setting.variable()),
                        new Origin.Default());
        assertThat(fileAlone.origin(setting).toString()).matches("w\\.yaml:[2-9]:[1-9]");
    }

    private static String yaml(String key, String value) {
        StringBuilder lines = new StringBuilder();
        String indent = "";
        for (String name : key.split("\\.", -1)) {
            lines.append(lines.isEmpty() ? "" : "\n")
                    .append(indent)
                    .append(name)
                    .append(':');
            indent += "  ";
        }
        return lines.append(' ').append(value).append('\n').toString();
    }

    @Test
    void settingWithoutAnOption_fileAndVariable_countInTheirOrder() {
        Given file = Given.file("drain: 3\nlimits:\n  state:\n    slots: 7\n");
        assertThat(file.resolved().limits().state().slots()).isEqualTo(7);
        assertThat(file.resolved().get(Settings.DRAIN)).isEqualTo(Duration.ofSeconds(3));
        assertThat(file.variable("WARPNFS_LIMITS_STATE_SLOTS", "8")
                        .resolved()
                        .limits()
                        .state()
                        .slots())
                .isEqualTo(8);
    }

    @Test
    void variable_empty_saysNothing() {
        assertThat(Given.file("lease: 7")
                        .variable("WARPNFS_LEASE", "")
                        .resolved()
                        .get(Settings.LEASE))
                .isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void mistake_inASourceThatIsOverruled_isOneAllTheSame() {
        assertThat(Given.file("lease: 0").flag(Settings.LEASE, "7").mistakes())
                .containsExactly("w.yaml:1:1: lease 0: not within 1s..3600s");
    }

    @Test
    void file_namedByAVariable_isReadUnlessTheLineNamesAnother(@TempDir Path directory) throws Exception {
        Path one = Files.writeString(directory.resolve("one.yaml"), "backend: memory\n");
        Path other = Files.writeString(directory.resolve("other.yaml"), "backend: local\n");
        Map<String, String> environment = Map.of("WARPNFS_CONFIG", one.toString());
        Mistakes mistakes = new Mistakes();
        assertThat(Resolved.of(Map.of(), environment, null, mistakes).get(Settings.BACKEND))
                .isEqualTo("memory");
        assertThat(Resolved.of(Map.of(), environment, other, mistakes).get(Settings.BACKEND))
                .isEqualTo("local");
        assertThat(mistakes.all()).isEmpty();
    }

    @Test
    void listOfTheFile_eachWord_hasItsLine() {
        Resolved resolved = Given.file("export:\n  - /a\n  - /b,ro\n").resolved();
        assertThat(resolved.words(Settings.EXPORT).stream().map(Said::origin))
                .containsExactly(new Origin.InFile("w.yaml", 2, 5), new Origin.InFile("w.yaml", 3, 5));
    }
}
