package org.warpnfs.server.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code warpnfs manual DIRECTORY}: writes manual pages from the help of the commands, for packages. */
@Command(
        name = "manual",
        description = "Writes a manual page for each command.",
        hidden = true,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class ManualCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "DIRECTORY", description = "The directory for the pages; created if it is missing.")
    private Path directory = Path.of(".");

    @Override
    public Integer call() throws ConfigException {
        CommandLine root = Objects.requireNonNull(
                Objects.requireNonNull(spec).commandLine().getParent());
        try {
            Files.createDirectories(directory);
            write(root);
            return 0;
        } catch (IOException e) {
            throw new ConfigException(directory + ": cannot be written (" + e + ")", e);
        }
    }

    private void write(CommandLine command) throws IOException {
        CommandSpec about = command.getCommandSpec();
        if (about.usageMessage().hidden()) {
            return;
        }
        ManualPage page = new ManualPage(command);
        Files.writeString(directory.resolve(page.name() + ".1"), page.text());
        for (CommandLine subcommand : command.getSubcommands().values()) {
            write(subcommand);
        }
    }
}
