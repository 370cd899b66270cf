package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.OwnerConversion;
import org.warpnfs.fs.local.OwnerConversion.Way;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code warpnfs owners}: moves a tree between the ways in which owners of files are kept. */
@Command(
        name = "owners",
        description = {
            "Converts a directory between owners in extended attributes, which a server without privilege keeps, and "
                    + "owners of the host.",
            "Needs root. No server may serve the directory meanwhile. What was interrupted goes on when it is started "
                    + "again."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {OwnersCommand.Export.class, OwnersCommand.Import.class})
final class OwnersCommand implements Runnable {
    private static final long THE_DIRECTORYS = -1;
    private static final long MAX_ID = 0xffff_fffeL;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "which way? export or import");
    }

    /** What both ways take. */
    abstract static class Conversion implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Parameters(paramLabel = "DIR", description = "The directory. Symbolic links are not followed.")
        private String directory = "";

        @Option(
                names = "--enter-mounts",
                description = "Convert other file systems that are mounted in the directory, too.")
        private boolean entersMounts;

        final int convert(Way way, long serverUser, boolean makesPrivileged) throws ConfigException {
            var command = Objects.requireNonNull(spec).commandLine();
            if (serverUser < THE_DIRECTORYS || serverUser > MAX_ID) {
                throw new ParameterException(command, "--server-user needs the number of a user");
            }
            Path path = PathText.of("DIR", directory);
            PrintWriter out = command.getOut();
            PrintWriter err = command.getErr();
            try {
                OwnerConversion.Result result = OwnerConversion.run(
                        path,
                        new OwnerConversion.Wanted(way, serverUser, entersMounts, makesPrivileged),
                        line -> err.println(Table.printable(line)));
                out.println(result.converted() + " files converted, " + result.failed() + " not");
                return result.failed() == 0 ? 0 : Main.FAILURE;
            } catch (IOException e) {
                throw new ConfigException(String.valueOf(e.getMessage()), e);
            } finally {
                out.flush();
                err.flush();
            }
        }
    }

    /** {@code warpnfs owners export}. */
    @Command(
            name = "export",
            description = {
                "Gives each file of the directory to its owner, with its permissions and lists, so that a server with "
                        + "privilege can serve it.",
                "Prints what could not be converted, with its path, on standard error. Exit status: 0 if everything "
                        + "was converted, else 1; 2 for a wrong command line."
            },
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class Export extends Conversion {
        @Option(
                names = "--server-user",
                paramLabel = "UID",
                description = "The user that the server had. Attributes of other users' files are not believed. "
                        + "Default: the owner of the directory.")
        private long serverUser = THE_DIRECTORYS;

        @Option(
                names = "--with-devices-and-set-id",
                description = "Make devices and set-id files, too. Without this they stay as they are and are printed: "
                        + "whoever made them as a client gets power over the host.")
        private boolean makesPrivileged;

        @Override
        public Integer call() throws ConfigException {
            return convert(Way.EXPORT, serverUser, makesPrivileged);
        }
    }

    /** {@code warpnfs owners import}. */
    @Command(
            name = "import",
            description = {
                "Keeps the owner, permissions and lists of each file of the directory in its extended attribute and "
                        + "gives it to the server's user, so that a server without privilege can serve it.",
                "Prints what could not be converted, with its path, on standard error. Exit status: 0 if everything "
                        + "was converted, else 1; 2 for a wrong command line."
            },
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class Import extends Conversion {
        @Option(
                names = "--server-user",
                required = true,
                paramLabel = "UID",
                description = "The user that the server will have, such as 65532 in the container.")
        private long serverUser;

        @Override
        public Integer call() throws ConfigException {
            return convert(Way.IMPORT, serverUser, false);
        }
    }
}
