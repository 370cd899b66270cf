package org.warpnfs.server.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.settings.JsonText;
import org.warpnfs.server.settings.Mistakes;
import org.warpnfs.server.settings.SettingsSchema;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code warpnfs check}: prints the configuration that {@code serve} would use with the same options, file and
 * environment, or every mistake in them.
 */
@Command(
        name = "check",
        description = {
            "Checks what serve would do with the same options, environment and files, and starts nothing.",
            "Prints each setting in force and where it comes from, and each export; or every mistake."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        modelTransformer = SettingOptions.class,
        sortOptions = false)
final class CheckCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--json", description = "Print the result as JSON, including mistakes.")
    private boolean json;

    @Option(names = "--schema", description = "Print the JSON schema of the configuration file instead, for editors.")
    private boolean schema;

    @Override
    public Integer call() throws ConfigException {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        if (schema) {
            out.print(SettingsSchema.text());
            out.flush();
            return 0;
        }
        Mistakes mistakes = new Mistakes();
        Check check =
                Check.of(Configured.of(command.commandLine().getParseResult(), System.getenv(), mistakes), mistakes);
        if (json) {
            out.print(JsonText.of(CheckReport.json(check)));
        } else if (check.mistakes().isEmpty()) {
            CheckReport.lines(check).forEach(out::println);
        }
        out.flush();
        List<String> wrong = check.mistakes();
        if (wrong.isEmpty()) {
            return 0;
        }
        throw new ConfigException(wrong);
    }
}
