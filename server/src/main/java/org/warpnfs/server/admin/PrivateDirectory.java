package org.warpnfs.server.admin;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;

/**
 * A directory that only the server's user and root can change. Creation does not follow symbolic links, so that the
 * checked directory is the restricted one.
 */
final class PrivateDirectory {
    private static final Set<PosixFilePermission> FOR_ITS_USER_ALONE = PosixFilePermissions.fromString("rwx------");
    private static final long ROOT = 0;

    private PrivateDirectory() {}

    /** Returns null if the directory is private, else the reason why not. */
    static @Nullable String flaw(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return "is not a directory";
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            return "may be written by others, who could put a socket of theirs in its place";
        }
        long owner = uid(directory.toRealPath());
        return owner == ROOT || owner == ProcessUser.effectiveUid()
                ? null
                : "belongs to user " + owner + ", who could put a socket of theirs in its place";
    }

    /**
     * Creates a private directory within a directory that others may write to. An existing one is used if it belongs to
     * the server's user. Kubernetes gives the pod's group access to everything in a volume when it mounts it; this
     * method removes that access.
     *
     * @throws ConfigException if that fails; one line gives the reason
     */
    static void make(Path directory) throws ConfigException {
        try {
            try {
                Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(FOR_ITS_USER_ALONE));
            } catch (FileAlreadyExistsException e) {
                restrict(directory);
            }
        } catch (IOException e) {
            throw new ConfigException(directory + ": " + e, e);
        }
    }

    private static void restrict(Path directory) throws IOException, ConfigException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(directory, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        PosixFileAttributes found = view.readAttributes();
        if (!found.isDirectory()) {
            throw new ConfigException(directory + ": exists and is not a directory");
        }
        long owner = uid(directory);
        if (owner != ProcessUser.effectiveUid()) {
            throw new ConfigException(directory + ": belongs to user " + owner + ", not to the server's user");
        }
        if (!found.permissions().equals(FOR_ITS_USER_ALONE)) {
            view.setPermissions(FOR_ITS_USER_ALONE);
        }
        PosixFileAttributes now = view.readAttributes();
        if (!Objects.equals(now.fileKey(), found.fileKey())
                || !now.permissions().equals(FOR_ITS_USER_ALONE)) {
            throw new ConfigException(directory + ": is being changed by somebody else");
        }
    }

    private static long uid(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
