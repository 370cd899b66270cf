package org.warpnfs.server.admin;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;

/**
 * The place of a Unix socket in the file system: nobody but its user may come there, and none that is in use is taken
 * away.
 */
final class SocketFile {
    private static final String FRESH = ".new";
    /** sun_path of Linux (unix(7)) without its last zero, and what the name has at first. */
    private static final int MAX_PATH_BYTES = 107 - FRESH.length();

    /** S_IFMT and S_IFSOCK of inode(7). */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;

    private final Path path;
    private final Path fresh;
    private volatile @Nullable Object own;

    SocketFile(Path path) {
        this.path = path.toAbsolutePath();
        this.fresh = Path.of(this.path + FRESH);
    }

    Path path() {
        return path;
    }

    /** Where it is bound: under its own name nobody finds it before it is restricted. */
    Path fresh() {
        return fresh;
    }

    /**
     * Makes sure that a socket can be bound there; what a server that is gone has left is removed.
     *
     * @throws ConfigException with one line that says what is in the way
     */
    void prepare() throws ConfigException {
        if (path.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
            throw refused("the path of a Unix socket has at most " + MAX_PATH_BYTES + " bytes");
        }
        Path directory = path.getParent();
        if (directory == null) {
            throw refused("is no place for a socket");
        }
        try {
            String flaw = PrivateDirectory.flaw(directory);
            if (flaw != null) {
                throw refused(directory + " " + flaw);
            }
            removeStale(path);
            removeStale(fresh);
        } catch (IOException e) {
            throw refused(String.valueOf(e), e);
        }
    }

    private static void removeStale(Path place) throws IOException, ConfigException {
        if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!isSocket(place)) {
            throw new ConfigException(place + ": is there already, and no socket");
        }
        try (SocketChannel _ = SocketChannel.open(UnixDomainSocketAddress.of(place))) {
            throw new ConfigException(place + ": another server answers there");
        } catch (ConnectException e) {
            Files.deleteIfExists(place);
        } catch (SocketException e) {
            // Such as EAGAIN of one whose queue is full, and EPROTOTYPE.
            throw new ConfigException(place + ": something is there: " + e.getMessage(), e);
        }
    }

    /**
     * Gives the socket that was bound at {@link #fresh} its own name, once it is for its user alone. Another that
     * somebody puts there later is theirs.
     */
    void publish() throws ConfigException {
        try {
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
            own = identity();
        } catch (IOException e) {
            throw refused(String.valueOf(e), e);
        }
    }

    /** Removes the socket that was bound, if it is still there. */
    void remove() throws IOException {
        if (own != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS) && own.equals(identity())) {
            Files.deleteIfExists(path);
        }
    }

    /** With the time when it was made: the number of a file that is gone is soon another's. */
    private Object identity() throws IOException {
        BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return List.of(String.valueOf(found.fileKey()), found.creationTime());
    }

    /** A pipe and a device are none, though to the JDK they look alike. */
    private static boolean isSocket(Path place) throws IOException {
        int mode = (Integer) Files.getAttribute(place, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return (mode & FILE_TYPE) == SOCKET;
    }

    private ConfigException refused(String why) {
        return new ConfigException(path + ": " + why);
    }

    ConfigException refused(String why, Throwable cause) {
        return new ConfigException(path + ": " + why, cause);
    }
}
