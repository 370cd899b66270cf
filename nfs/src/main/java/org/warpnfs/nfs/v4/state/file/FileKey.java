package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * One file over all exports: opens, locks and delegations belong to it, through whatever export they came.
 *
 * @param medium what it is on
 * @param handle names it there; not the handle by which it is opened
 */
public record FileKey(Object medium, FileHandle handle) {
    public static FileKey of(FileIdentity file) {
        return new FileKey(file.medium(), file.file());
    }
}
