package org.warpnfs.nfs.v4.state.file;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The opens of one file. Guarded by the lock of the state. */
final class FileState {
    final FileKey key;
    final Set<OpenState> opens = new LinkedHashSet<>(2);
    /**
     * Opens that can write and opens that deny something. Most requests conflict only with these, so they need not
     * search the others.
     */
    final Set<OpenState> writers = new LinkedHashSet<>(2);

    final Set<OpenState> deniers = new LinkedHashSet<>(2);

    FileState(FileKey key) {
        this.key = key;
    }

    /** Updates the indices after an open was added, or its access or deny bits were changed. */
    void index(OpenState open) {
        opens.add(open);
        member(writers, open, (open.access & OpenRequest.WRITE) != 0);
        member(deniers, open, open.deny != 0);
    }

    private static void member(Set<OpenState> set, OpenState open, boolean belongs) {
        if (belongs) {
            set.add(open);
        } else {
            set.remove(open);
        }
    }

    void remove(OpenState open) {
        opens.remove(open);
        writers.remove(open);
        deniers.remove(open);
    }

    /**
     * An open of another owner that denies the requested access, or has access that the request denies; null if there
     * is none.
     */
    @Nullable
    Conflict shareConflict(int access, int deny) {
        Conflict denied = denied(access);
        if (denied != null || deny == 0) {
            return denied;
        }
        for (OpenState open : deny == OpenRequest.WRITE ? writers : opens) {
            if (!open.client.isForgotten() && (open.access & deny) != 0) {
                return new Conflict(open.client, null);
            }
        }
        return null;
    }

    /** An open that denies anonymous I/O with that access; null if there is none. */
    @Nullable
    Conflict denied(int access) {
        for (OpenState open : deniers) {
            if (!open.client.isForgotten() && (open.deny & access) != 0) {
                return new Conflict(open.client, null);
            }
        }
        return null;
    }

    /** Permission by any open that can write, or permission without a file. */
    IoGrant anyWriter() {
        for (OpenState open : writers) {
            if (open.writer != null && !open.client.isGone()) {
                return IoGrant.holding(open.writer);
            }
        }
        return IoGrant.withoutFile();
    }
}
