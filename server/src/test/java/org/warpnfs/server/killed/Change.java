package org.warpnfs.server.killed;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * A call that changes names or a size. The server does it whole or not at all.
 *
 * @param xid the XID of the call; a repetition has the same
 * @param name the directory entry that the call makes, removes, renames or truncates
 * @param other the new name of a rename, or the target of a symbolic link; else empty
 * @param node the node that has the name or gets it; null if the call makes it
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

    /** Returns whether the change is done, by looking into the exported directory itself and not through the server. */
    boolean isDone(ExportedFiles files, Path directory) throws IOException {
        OptionalLong size = files.size(directory.resolve(name));
        boolean there = size.isPresent();
        return switch (kind) {
            case CREATE, MKDIR, SYMLINK, LINK -> there;
            case REMOVE, RENAME -> !there;
            case SET_SIZE -> size.orElse(-1) == sizeBytes;
        };
    }

    /** Returns whether this status is the right answer to a repetition of a change that is done. */
    boolean isAnswerOfRepetition(int status) {
        return switch (kind) {
            case CREATE, MKDIR, SYMLINK, LINK -> status == EXIST;
            case REMOVE, RENAME -> status == NOENT;
            case SET_SIZE -> status == 0;
        };
    }
}
