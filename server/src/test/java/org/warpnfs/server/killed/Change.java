package org.warpnfs.server.killed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * A call that changes names or a size, which is either done or not.
 *
 * @param xid its own; a repetition has the same
 * @param name the entry of the directory that is made, removed, renamed or cut
 * @param other where it is renamed to; the name of what is linked; what a symbolic link says
 * @param node what has the name, or gets it; null if the call makes it
 */
record Change(Kind kind, int xid, String name, String other, Node node, long sizeBytes) {
    enum Kind {
        CREATE,
        MKDIR,
        SYMLINK,
        LINK,
        REMOVE,
        RENAME,
        SET_SIZE
    }

    private static final int NOENT = 2;
    private static final int EXIST = 17;

    /** Looks at the directory itself, beside the server. */
    boolean isDone(Path directory) throws IOException {
        boolean there = Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS);
        return switch (kind) {
            case CREATE, MKDIR, SYMLINK, LINK -> there;
            case REMOVE, RENAME -> !there;
            case SET_SIZE -> Files.size(directory.resolve(name)) == sizeBytes;
        };
    }

    /** The answer to a repetition of what was done. */
    boolean isAnswerOfRepetition(int status) {
        return switch (kind) {
            case CREATE, MKDIR, SYMLINK, LINK -> status == EXIST;
            case REMOVE, RENAME -> status == NOENT;
            case SET_SIZE -> status == 0;
        };
    }
}
