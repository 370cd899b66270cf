package org.warpnfs.server.settings;

import java.util.List;
import java.util.StringJoiner;

/** Generates the tables of docs/configuration.md from {@link Settings}. */
public final class SettingsPage {
    private SettingsPage() {}

    /** Returns the table of all settings except limits. */
    public static String settings() {
        StringJoiner table = new StringJoiner("\n", "", "\n");
        table.add("| key | option | variable | values | default | what |").add("|---|---|---|---|---|---|");
        SettingIndex.ALL.stream()
                .filter(setting -> !setting.key().startsWith(LimitSettings.PREFIX))
                .forEach(setting -> table.add(row(List.of(
                        "`" + setting.key() + "`",
                        setting.flag() == null ? "" : "`" + setting.flag() + "`",
                        "`" + setting.variable() + "`",
                        setting.kind().allowed(),
                        setting.shownStandard(),
                        what(setting)))));
        return table.toString();
    }

    /** Returns the table of limits. */
    public static String limits() {
        StringJoiner table = new StringJoiner("\n", "", "\n");
        table.add("| key | values | default | what | reason of the default |").add("|---|---|---|---|---|");
        SettingIndex.ALL.stream()
                .filter(setting -> setting.key().startsWith(LimitSettings.PREFIX))
                .forEach(setting -> table.add(row(List.of(
                        "`" + setting.key() + "`" + (setting.flag() == null ? "" : " `" + setting.flag() + "`"),
                        setting.kind().allowed(),
                        setting.shownStandard(),
                        what(setting),
                        setting.reason()))));
        return table.toString();
    }

    /** Returns the list of limits that cannot exceed another. */
    public static String parts() {
        StringJoiner lines = new StringJoiner("\n", "", "\n");
        Combinations.WITHIN.forEach(
                within -> lines.add("- `" + within.part() + "` is not above `" + within.whole() + "`"));
        return lines.toString();
    }

    private static String what(Setting<?> setting) {
        return String.join(" ", setting.about());
    }

    private static String row(List<String> cells) {
        StringJoiner row = new StringJoiner(" | ", "| ", " |");
        cells.forEach(cell -> row.add(cell.replace("|", "\\|")));
        return row.toString();
    }
}
