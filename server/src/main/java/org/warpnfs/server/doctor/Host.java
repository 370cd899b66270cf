package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.warpnfs.server.limits.Machine;

/** The view of a host that the checks use. */
public interface Host {
    /**
     * Returns the contents of a small file, such as those of {@code /proc} and {@code /sys}; empty if it cannot be
     * read.
     */
    Optional<String> text(Path file);

    /** Returns the sorted names in a directory; empty if there is no such directory. */
    List<String> names(Path directory);

    /** Returns whether a file, directory or socket exists. */
    boolean exists(Path path);

    /** Returns whether a program of that name is in root's search path. */
    boolean hasProgram(String name);

    /** Returns the state of a TCP port. */
    PortState port(int port);

    /** The state of a port: free for this process, in use, or forbidden. */
    enum PortState {
        FREE,
        TAKEN,
        /** Below 1024, and this user may not listen on it. */
        FORBIDDEN
    }

    /** Returns whether a directory can be written or created, by trying. */
    boolean isWritable(Path directory);

    /** Returns the type of the file system of a directory, existing or not; empty if unknown. */
    String fileSystemOf(Path directory);

    /** Returns memory and descriptors. */
    Machine machine();

    Instant now();
}
