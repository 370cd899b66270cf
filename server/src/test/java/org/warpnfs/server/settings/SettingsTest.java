package org.warpnfs.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.warpnfs.server.cli.Main;
import org.warpnfs.server.limits.LimitValues;
import org.warpnfs.server.limits.ServerLimits;

/** The table of settings is complete and consistent. */
class SettingsTest {
    private static List<Setting<?>> limits() {
        return SettingIndex.ALL.stream()
                .filter(setting -> setting.key().startsWith(LimitSettings.PREFIX))
                .toList();
    }

    @Test
    void limits_ofTheServer_areAllThereWithTheirDefaultsInTheirOrder() {
        Map<String, Object> numbers = LimitValues.of(ServerLimits.DEFAULT);
        assertThat(limits().stream().map(limit -> limit.key().substring(LimitSettings.PREFIX.length())))
                .containsExactlyElementsOf(numbers.keySet());
        limits().forEach(limit -> assertThat(limit.standard())
                .as(limit.key())
                .isEqualTo(numbers.get(limit.key().substring(LimitSettings.PREFIX.length()))));
    }

    @Test
    void limits_each_hasAReason() {
        assertThat(limits()).allSatisfy(limit -> assertThat(limit.reason()).isNotEmpty());
    }

    @Test
    void numbers_most_fitIntoTheComponentsOfTheLimits() throws Exception {
        for (var group : ServerLimits.class.getRecordComponents()) {
            for (var component : group.getType().getRecordComponents()) {
                Setting<?> limit =
                        SettingIndex.byKey(LimitSettings.PREFIX + group.getName() + "." + component.getName());
                long most =
                        switch (limit.kind()) {
                            case Kind.Whole whole -> whole.most();
                            case Kind.Bytes bytes -> bytes.most();
                            // iWARP counts the idle time in milliseconds, in 32 bits.
                            case Kind.Time time -> time.most().toMillis();
                            case Kind.Port _, Kind.Choice<?> _, Kind.Switch _, Kind.Text _, Kind.Words _ ->
                                throw new AssertionError(limit.key());
                        };
                assertThat(most)
                        .as(limit.key())
                        .isLessThanOrEqualTo(component.getType() == long.class ? Long.MAX_VALUE : Integer.MAX_VALUE);
            }
        }
    }

    @Test
    void defaults_thatAreValues_areReadAsTheyAreWritten() throws Exception {
        for (Setting<?> setting : SettingIndex.ALL) {
            if (!Set.of("", List.of()).contains(setting.standard())) {
                assertThat(readAgain(setting)).as(setting.key()).isEqualTo(setting.standard());
            }
        }
    }

    private static <T> T readAgain(Setting<T> setting) throws Exception {
        return setting.kind().read(setting.key(), List.of(setting.kind().written(setting.standard())));
    }

    @Test
    void options_ofServeAndCheck_areAllSettings() {
        Set<String> flags = new TreeSet<>();
        SettingIndex.ALL.stream()
                .map(Setting::flag)
                .filter(flag -> flag != null)
                .forEach(flags::add);
        var commands = Main.commandLine().getSubcommands();
        for (String command : List.of("serve", "check")) {
            Set<String> options = new TreeSet<>();
            commands.get(command).getCommandSpec().options().forEach(option -> options.add(option.longestName()));
            options.removeAll(Set.of("--help", "--version", "--config"));
            if (command.equals("check")) {
                options.removeAll(Set.of("--json", "--schema"));
            }
            assertThat(options)
                    .as("an option of " + command + " that is no row of Settings cannot be said in the file")
                    .isEqualTo(flags);
        }
    }

    @Test
    void variables_areUniqueAndThoseOfNobodyElse() {
        Set<String> variables = new HashSet<>();
        SettingIndex.ALL.forEach(
                setting -> assertThat(variables.add(setting.variable())).isTrue());
        assertThat(variables)
                .contains("WARPNFS_RDMA_PORT", "WARPNFS_LIMITS_CONNECTIONS_OF_CLIENT")
                .doesNotContain("WARPNFS_PORT", "WARPNFS_JAVA_OPTS", EnvironmentReader.CONFIG);
    }

    @Test
    void combinations_areOfOneKind_andGoFromWholesToParts() {
        Set<String> parts = new HashSet<>();
        for (Combinations.Within within : Combinations.WITHIN) {
            Setting<?> part = SettingIndex.byKey(LimitSettings.PREFIX + within.part());
            Setting<?> whole = SettingIndex.byKey(LimitSettings.PREFIX + within.whole());
            assertThat(part.standard()).hasSameClassAs(whole.standard());
            assertThat(part.kind()).hasSameClassAs(whole.kind());
            parts.add(within.part());
        }
        Set<String> done = new HashSet<>();
        for (Combinations.Within within : Combinations.WITHIN) {
            assertThat(!parts.contains(within.whole()) || done.contains(within.whole()))
                    .as(within.toString())
                    .isTrue();
            done.add(within.part());
        }
    }
}
