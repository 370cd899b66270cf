package org.warpnfs.nfs.v4.state.file;

import java.util.LinkedHashSet;
import java.util.Set;

/** Who has one file open, and who has locked what of it. Guarded by the lock of the state. */
final class FileState {
    final FileKey key;
    final Set<OpenState> opens = new LinkedHashSet<>(2);
    /** Those that can write, and those that deny others something: what most opens need not be asked for. */
    final Set<OpenState> writers = new LinkedHashSet<>(2);

    final Set<OpenState> deniers = new LinkedHashSet<>(2);
    final ByteRangeLocks<LockOwner> locks =
            new ByteRangeLocks<>(owner -> owner.client().isGone());

    FileState(FileKey key) {
        this.key = key;
    }

    /** An open has come, or has changed what it may and denies. */
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
}
