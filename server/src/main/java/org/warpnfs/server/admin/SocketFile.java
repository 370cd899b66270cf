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
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.warpnfs.server.config.ConfigException;

/** The place of a Unix socket in the file system: nobody but its user may come there, and none that is in use is taken away. */
final class SocketFile {
    /** sun_path of Linux (unix(7)) with its last zero. */
    private static final int MAX_PATH_BYTES = 107;

    private final Path path;

    SocketFile(Path path) {
        this.path = path.toAbsolutePath();
    }

    Path path() {
        return path;
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
        Path directory = Objects.requireNonNull(path.getParent(), "an absolute path of a file has a parent");
        try {
            requirePrivate(directory);
            removeStale();
        } catch (IOException e) {
            throw refused(String.valueOf(e), e);
        }
    }

    private void requirePrivate(Path directory) throws IOException, ConfigException {
        if (!Files.isDirectory(directory)) {
            throw refused(directory + " is no directory");
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw refused("others may write to " + directory + ", and could put a socket of theirs in its place");
        }
    }

    private void removeStale() throws IOException, ConfigException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw refused("is there already, and no socket");
        }
        try (SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            throw refused("another server answers there (" + peer.getRemoteAddress() + ")");
        } catch (ConnectException e) {
            Files.deleteIfExists(path);
        } catch (SocketException e) {
            // Such as EAGAIN of one whose queue is full, and EPROTOTYPE.
            throw refused("something is there: " + e.getMessage(), e);
        }
    }

    /** For its user alone. Before that the peers' credentials keep others out. */
    void restrict() throws ConfigException {
        try {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw refused(String.valueOf(e), e);
        }
    }

    private ConfigException refused(String why) {
        return new ConfigException(path + ": " + why);
    }

    ConfigException refused(String why, Throwable cause) {
        return new ConfigException(path + ": " + why, cause);
    }
}
