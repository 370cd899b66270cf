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

/** The file of a Unix socket. Only its user may connect, and a socket in use is never removed. */
final class SocketFile {
    private static final String FRESH = ".new";
    /**
     * The longest path: sun_path of Linux (unix(7)) without its final zero and without the suffix of the initial name.
     */
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

    /** Returns the path at which the socket is bound. It gets its own name only after access is restricted. */
    Path fresh() {
        return fresh;
    }

    /**
     * Ensures that the socket can be bound, and removes the socket of a server that is gone.
     *
     * @throws ConfigException if it cannot be bound; one line gives the reason
     */
    void prepare() throws ConfigException {
        if (path.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
            throw refused("the path of a Unix socket has at most " + MAX_PATH_BYTES + " bytes");
        }
        Path directory = path.getParent();
        if (directory == null) {
            throw refused("is not fit for a socket");
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
            throw new ConfigException(place + ": exists and is not a socket");
        }
        try (SocketChannel _ = SocketChannel.open(UnixDomainSocketAddress.of(place))) {
            throw new ConfigException(place + ": another server answers there");
        } catch (ConnectException e) {
            Files.deleteIfExists(place);
        } catch (SocketException e) {
            // For instance EAGAIN, if the queue of the other socket is full, or EPROTOTYPE.
            throw new ConfigException(place + ": something else is there: " + e.getMessage(), e);
        }
    }

    /**
     * Gives the socket that was bound at {@link #fresh} its own name, after access is restricted. Its identity is
     * remembered, so that another socket that is put there later is not removed.
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

    /** Removes the bound socket if it is still there. */
    void remove() throws IOException {
        if (own != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS) && own.equals(identity())) {
            Files.deleteIfExists(path);
        }
    }

    /** Returns the identity of the file, including its creation time, since inode numbers are reused quickly. */
    private Object identity() throws IOException {
        BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return List.of(String.valueOf(found.fileKey()), found.creationTime());
    }

    /** Returns whether the file is a socket. The JDK does not distinguish sockets from pipes and devices. */
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
