package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.warpnfs.server.limits.Machine;

/** A host, as checks see it. */
public interface Host {
    /**
     * What a small file says, such as those of {@code /proc} and {@code /sys}; empty if there is none that can be read.
     */
    Optional<String> text(Path file);

    /** Names in a directory, sorted; none if there is none. */
    List<String> names(Path directory);

    /** True if a file, directory or socket is there. */
    boolean exists(Path path);

    /** True if a program of that name is where root finds programs. */
    boolean hasProgram(String name);

    /** True if nobody listens for TCP at that port, and this process might. */
    PortState port(int port);

    /** What a port is. */
    enum PortState {
        FREE,
        TAKEN,
        /** Below 1024, and not for this user. */
        FORBIDDEN
    }

    /** Whether a directory can be written, or made; by trying. */
    boolean isWritable(Path directory);

    /** The type of the file system that a directory is on, or would be on; empty if nobody knows. */
    String fileSystemOf(Path directory);

    /** Memory and descriptors. */
    Machine machine();

    Instant now();
}
