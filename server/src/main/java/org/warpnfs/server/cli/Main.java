package org.warpnfs.server.cli;

import java.io.PrintWriter;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.log.LogLines;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code warpnfs}. */
@Command(
        name = "warpnfs",
        description = "An NFS-over-RDMA file server on a user-space iWARP stack.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            ServeCommand.class,
            CheckCommand.class,
            ProbeCommand.class,
            AdminCommands.Status.class,
            TopCommand.class,
            ListCommands.Clients.class,
            ListCommands.Sessions.class,
            ListCommands.Opens.class,
            ListCommands.Locks.class,
            ListCommands.Delegations.class,
            ListCommands.Layouts.class,
            ListCommands.Connections.class,
            AdminCommands.Exports.class,
            AdminCommands.Reload.class,
            AdminCommands.LogLevel.class,
            AdminCommands.Evict.class,
            AdminCommands.Unlock.class,
            AdminCommands.Grace.class,
            AdminCommands.Drain.class,
            DoctorCommand.class,
            OwnersCommand.class,
            IwarpCommand.class,
            BenchCommand.class,
            CrowdCommand.class,
            CompletionCommand.class,
            ManualCommand.class
        })
public final class Main {
    /** The exit status for a wrong command line. */
    static final int USAGE_ERROR = 2;
    /** The exit status of a command that failed. */
    static final int FAILURE = 1;

    private Main() {}

    public static void main(String[] arguments) {
        int status = commandLine().execute(arguments);
        LogLines.finish();
        System.exit(status);
    }

    /** Returns the command line with its error handling: each mistake is one line on standard error. */
    public static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Main::explainUsage)
                .setExecutionExceptionHandler(Main::explainFailure);
    }

    private static int explainUsage(CommandLine.ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        String listed = command.getSubcommands().isEmpty() ? "options" : "commands";
        say(
                command,
                inWords(e, command) + " (" + command.getCommandSpec().qualifiedName() + " --help lists the " + listed
                        + ")");
        return USAGE_ERROR;
    }

    /** Returns the message of a wrong command line without the names of Java's types, and without indexes. */
    private static String inWords(CommandLine.ParameterException e, CommandLine command) {
        if (e instanceof CommandLine.UnmatchedArgumentException unmatched
                && !command.getSubcommands().isEmpty()
                && !unmatched.isUnknownOption()) {
            return "there is no command '" + unmatched.getUnmatched().getFirst() + "'";
        }
        return String.valueOf(e.getMessage())
                .replaceFirst("' is not an? (int|long)$", "' is not a whole number")
                .replaceFirst("' is not a double$", "' is not a number");
    }

    private static int explainFailure(Exception e, CommandLine command, CommandLine.ParseResult parsed)
            throws Exception {
        if (e instanceof ConfigException wrong) {
            wrong.mistakes().forEach(mistake -> say(command, mistake));
            return FAILURE;
        }
        throw e;
    }

    private static void say(CommandLine command, String message) {
        PrintWriter err = command.getErr();
        err.println("warpnfs: " + Table.printable(message.lines().findFirst().orElse("failed")));
        err.flush();
    }
}
