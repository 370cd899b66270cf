package org.warpnfs.server.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.server.Description;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ExportSpec.Identity;
import org.warpnfs.server.settings.Kind;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Setting;
import org.warpnfs.server.settings.SettingIndex;
import org.warpnfs.server.settings.Settings;

/** The output of {@code warpnfs check}, as text and as JSON. */
final class CheckReport {
    private CheckReport() {}

    static List<String> lines(Check check) {
        Resolved settings = check.configured().settings();
        List<String> lines = new ArrayList<>();
        for (Setting<?> setting : SettingIndex.ALL) {
            lines.add("%-45s %-24s  %s"
                    .formatted(setting.key(), shown(check, setting), settings.origin(setting))
                    .stripTrailing());
        }
        for (ExportSpec export : check.exports()) {
            lines.add("export  " + directory(check, export) + " at " + export.pseudoPath() + "  "
                    + Description.policy(export.policy()) + traits(export) + "  (" + export.place() + ")");
        }
        if (check.exports().isEmpty()) {
            lines.add(Description.NO_EXPORTS);
        }
        lines.add(check.limits());
        if (!check.warning().isEmpty()) {
            lines.add("warning " + check.warning());
        }
        lines.add("ok");
        return lines;
    }

    private static <T> String shown(Check check, Setting<T> setting) {
        String value = check.configured().settings().shown(setting);
        String unit = unit(setting);
        return unit.isEmpty() ? value : value + " " + unit;
    }

    /** Returns the unit of a value that is written without one. */
    private static String unit(Setting<?> setting) {
        if (!(setting.kind() instanceof Kind.Bytes)) {
            return "";
        }
        return setting.key().contains("PerSecond") ? "bytes/s" : "bytes";
    }

    static Map<String, Object> json(Check check) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", check.mistakes().isEmpty());
        report.put("mistakes", check.mistakes());
        report.put(
                "settings",
                SettingIndex.ALL.stream().map(setting -> json(check, setting)).toList());
        report.put(
                "exports",
                check.exports().stream().map(export -> json(check, export)).toList());
        report.put("limits", check.limits());
        report.put("warning", check.warning());
        return report;
    }

    private static Map<String, Object> json(Check check, Setting<?> setting) {
        Resolved settings = check.configured().settings();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("key", setting.key());
        row.put("value", value(settings.get(setting)));
        String unit = setting.kind() instanceof Kind.Time ? "ms" : unit(setting);
        if (!unit.isEmpty()) {
            row.put("unit", unit);
        }
        row.put("from", settings.origin(setting).toString());
        return row;
    }

    private static Object value(Object value) {
        return switch (value) {
            case Duration time -> time.toMillis();
            case Enum<?> choice -> choice.name().toLowerCase(Locale.ROOT);
            case String text -> Listeners.withoutSecret(text);
            default -> value;
        };
    }

    private static Map<String, Object> json(Check check, ExportSpec export) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("directory", directory(check, export));
        row.put("path", String.valueOf(export.pseudoPath()));
        List<Object> clients = new ArrayList<>();
        for (ExportRule rule : export.policy().rules()) {
            clients.add(Map.of("clients", rule.clients().toString(), "options", Description.options(rule.options())));
        }
        row.put("clients", clients);
        row.put("traits", traits(export));
        row.put("from", export.place().toString());
        return row;
    }

    private static String directory(Check check, ExportSpec export) {
        return export.directory() == null
                ? check.configured().settings().get(Settings.BACKEND)
                : export.directory().toString();
    }

    /** Returns the options in the syntax of exports(5), each preceded by a comma. */
    private static String traits(ExportSpec export) {
        ExportTraits traits = export.traits();
        @Nullable String fsid = traits.fsid();
        return (traits.crossesMounts() ? ",crossmnt" : "")
                + (traits.shownThroughParent() ? ",nohide" : "")
                + (traits.readDirPlus() ? "" : ",nordirplus")
                + (fsid == null ? "" : ",fsid=" + fsid)
                + (export.identity() == Identity.DEFAULT
                        ? ""
                        : ",identity=" + export.identity().name().toLowerCase(Locale.ROOT));
    }
}
