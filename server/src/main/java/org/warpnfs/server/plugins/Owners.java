package org.warpnfs.server.plugins;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.warpnfs.server.config.BoundedText;
import org.warpnfs.server.config.ConfigException;

/**
 * Checks that no other user can replace a file of a plug-in: whoever can write it has all rights of the server. Members
 * of a group that may write it are trusted, and so are the owners of the directories above.
 */
final class Owners {
    private static final int OTHERS_WRITE = 02;
    private static final int STICKY = 01000;
    private static final Path OWN = Path.of("/proc/self");
    private static final Path USERS = Path.of("/proc/self/uid_map");

    /** What the kernel shows for an owner outside of the user namespace (overflowuid). */
    private static final int UNMAPPED = 65534;

    private Owners() {}

    /**
     * Checks a file, and the directories above it, as it was named and where its links lead.
     *
     * @throws ConfigException that says who could replace it, and how to mend that
     */
    static void requireOurs(Path file) throws ConfigException {
        try {
            requireOwner(file);
            requireNotForEveryone(file, false);
            for (Path above = file.toAbsolutePath().normalize().getParent(); above != null; above = above.getParent()) {
                requireNotForEveryone(above, true);
            }
            for (Path above = file.toRealPath().getParent(); above != null; above = above.getParent()) {
                requireNotForEveryone(above, true);
            }
        } catch (NoSuchFileException e) {
            throw new ConfigException(e.getFile() + ": there is no such file or directory", e);
        } catch (IOException e) {
            throw new ConfigException(file + ": " + BoundedText.reason(e), e);
        }
    }

    private static void requireNotForEveryone(Path file, boolean mayBeSticky) throws IOException, ConfigException {
        int mode = (int) Files.getAttribute(file, "unix:mode");
        if ((mode & OTHERS_WRITE) != 0 && !(mayBeSticky && (mode & STICKY) != 0)) {
            throw new ConfigException(file + ": every user may write it, and so become the server; chmod o-w " + file);
        }
    }

    private static void requireOwner(Path file) throws IOException, ConfigException {
        int owner = (int) Files.getAttribute(file, "unix:uid");
        int self = (int) Files.getAttribute(OWN, "unix:uid");
        if (owner != 0 && owner != self && !(owner == UNMAPPED && isInUserNamespace())) {
            throw new ConfigException(
                    file + ": user " + owner + " may write it, and so become the server; chown root " + file);
        }
    }

    private static boolean isInUserNamespace() throws IOException {
        return !Files.readString(USERS).strip().matches("0 +0 +4294967295");
    }
}
