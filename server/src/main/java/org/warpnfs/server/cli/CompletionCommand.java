package org.warpnfs.server.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code warpnfs completion}: prints a completion script for shells. */
@Command(
        name = "completion",
        description = {
            "Prints a completion script for bash and zsh.",
            "In bash: source <(warpnfs completion). In zsh the same, after autoload -U compinit && compinit."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class CompletionCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        CommandLine root = Objects.requireNonNull(command.getParent());
        root.getOut().print(AutoComplete.bash(root.getCommandName(), root));
        root.getOut().flush();
    }
}
