package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.List;

/** Who has one file open, and who has locked what of it. Guarded by its table's lock. */
final class FileState {
    final FileKey key;
    final List<OpenState> opens = new ArrayList<>(1);
    final ByteRangeLocks<LockOwner> locks = new ByteRangeLocks<>();

    FileState(FileKey key) {
        this.key = key;
    }
}
