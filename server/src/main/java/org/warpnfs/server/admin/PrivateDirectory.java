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
 * A directory that nobody but the server's user, and root, can change. Symbolic links are not followed where one is
 * made: what is restricted is what was looked at.
 */
final class PrivateDirectory {
    private static final Set<PosixFilePermission> FOR_ITS_USER_ALONE = PosixFilePermissions.fromString("rwx------");
    private static final long ROOT = 0;

    private PrivateDirectory() {}

    /** Null if it is private; else a few words that say why not. */
    static @Nullable String flaw(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return "is no directory";
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
     * Makes one within a directory that others may write to; one that is there is taken, if it belongs to the server's
     * user. Kubernetes opens what is in a volume to the pod's group when it mounts it: that is taken back.
     *
     * @throws ConfigException with one line that says what is in the way
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
            throw new ConfigException(directory + ": is there already, and no directory");
        }
        long owner = uid(directory);
        if (owner != ProcessUser.effectiveUid()) {
            throw new ConfigException(directory + ": belongs to user " + owner + ", and not to the server's");
        }
        if (!found.permissions().equals(FOR_ITS_USER_ALONE)) {
            view.setPermissions(FOR_ITS_USER_ALONE);
        }
        PosixFileAttributes now = view.readAttributes();
        if (!Objects.equals(now.fileKey(), found.fileKey())
                || !now.permissions().equals(FOR_ITS_USER_ALONE)) {
            throw new ConfigException(directory + ": is changed by somebody else");
        }
    }

    private static long uid(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
