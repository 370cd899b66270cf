package org.warpnfs.nfs.locks;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileSystem;

/**
 * A file that is to be locked.
 *
 * @param backend keeps its locks where others see them; null if none does
 * @param handle the backend's handle of the file
 */
public record LockedFile(FileIdentity identity, @Nullable FileSystem backend, FileHandle handle) {
    public static LockedFile of(FileSystem fileSystem, FileHandle handle) {
        return new LockedFile(
                fileSystem.identity(handle), fileSystem.limits().has(Capability.LOCKS) ? fileSystem : null, handle);
    }

    /** A file whose locks are known to this server alone. */
    public static LockedFile here(FileIdentity identity) {
        return new LockedFile(identity, null, identity.file());
    }
}
