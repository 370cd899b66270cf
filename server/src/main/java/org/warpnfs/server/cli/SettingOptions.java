package org.warpnfs.server.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.server.settings.Kind;
import org.warpnfs.server.settings.Setting;
import org.warpnfs.server.settings.SettingIndex;
import org.warpnfs.server.settings.Settings;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Gives a command the options of {@link Settings}, and {@code --config}. The options have no fields. Their values are
 * read from the parsed command line as words, because precedence is decided together with the environment and the file.
 */
final class SettingOptions implements IModelTransformer {
    static final String CONFIG = "--config";

    @Override
    public CommandSpec transform(CommandSpec command) {
        command.addOption(OptionSpec.builder(CONFIG)
                .paramLabel("FILE")
                .type(String.class)
                .description("A YAML file of settings, read once at the start; warpnfs check shows its effect. "
                        + "Options override the environment (WARPNFS_RDMA_PORT), which overrides the "
                        + "file. Default: none.")
                .build());
        for (Setting<?> setting : SettingIndex.ALL) {
            String flag = setting.flag();
            if (flag != null) {
                command.addOption(option(flag, setting));
            }
        }
        return command;
    }

    private static OptionSpec option(String flag, Setting<?> setting) {
        OptionSpec.Builder option = OptionSpec.builder(flag).description(description(setting));
        return switch (setting.kind()) {
            // --markers=false switches off what the file has switched on.
            case Kind.Switch _ ->
                option.type(boolean.class)
                        .arity("0..1")
                        .fallbackValue("true")
                        .paramLabel("true|false")
                        .build();
            case Kind.Choice<?> choice ->
                option.paramLabel(setting.label()).type(choice.type()).build();
            case Kind.Whole _ ->
                option.paramLabel(setting.label()).type(Long.class).build();
            case Kind.Words words ->
                option.paramLabel(setting.label())
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .arity(words.orNone() ? "0..*" : "1")
                        .build();
            case Kind.Bytes _, Kind.Time _, Kind.Text _, Kind.Port _ ->
                option.paramLabel(setting.label()).type(String.class).build();
        };
    }

    /** Returns the description as one paragraph, since picocli begins a new line for each string. */
    private static String description(Setting<?> setting) {
        String about = String.join(" ", setting.about());
        String whole =
                setting.kind() instanceof Kind.Switch ? about : about + " Default: " + setting.shownStandard() + ".";
        return whole.replace("%", "%%");
    }

    /** Returns the words of each option that is present on the command line. */
    static Map<Setting<?>, List<String>> said(ParseResult line) {
        Map<Setting<?>, List<String>> said = new LinkedHashMap<>();
        for (Setting<?> setting : SettingIndex.ALL) {
            String flag = setting.flag();
            OptionSpec option = flag == null ? null : line.matchedOption(flag);
            if (option != null) {
                List<String> words = option.stringValues();
                said.put(setting, setting.kind() instanceof Kind.Switch && words.isEmpty() ? List.of("true") : words);
            }
        }
        return said;
    }

    /** Returns the configuration file of the command line; empty if it names none. */
    static String config(ParseResult line) {
        return line.matchedOptionValue(CONFIG, "");
    }
}
