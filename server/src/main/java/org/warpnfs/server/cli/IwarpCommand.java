package org.warpnfs.server.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code warpnfs iwarp}: tests of the transport below NFS. */
@Command(
        name = "iwarp",
        description = {
            "Tests iWARP without NFS, against this program or against the Linux tools.",
            "ping works with rping, the others with ib_read_bw, ib_write_bw, ib_send_bw, ib_send_lat and ib_atomic_lat "
                    + "with -R."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            IwarpTestCommand.Ping.class,
            IwarpTestCommand.ReadBw.class,
            IwarpTestCommand.WriteBw.class,
            IwarpTestCommand.SendLat.class,
            IwarpTestCommand.SendBw.class,
            IwarpTestCommand.AtomicLat.class
        })
final class IwarpCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(),
                "which test? ping, read-bw, write-bw, send-lat, send-bw or atomic-lat");
    }
}
