package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * One file, the same over all exports. Opens, locks and delegations belong to it, through whatever export they came.
 *
 * @param medium the medium that the file is on
 * @param handle names the file on the medium; it is not the handle by which it is opened
 */
public record FileKey(Object medium, FileHandle handle) {
    /** The same file for programs that are not NFSv4. */
    public FileIdentity identity() {
        return new FileIdentity(medium, handle);
    }

    public static FileKey of(FileIdentity file) {
        return new FileKey(file.medium(), file.file());
    }
}
