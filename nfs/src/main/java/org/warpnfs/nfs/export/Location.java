package org.warpnfs.nfs.export;

import java.util.Set;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.keys.KeyedHash;

/** A file of an export. Equal locations are the same file of the {@linkplain Export#isSame same export}. */
public record Location(Export export, FileHandle file) {
    @Override
    public boolean equals(Object other) {
        return other instanceof Location location && export.isSame(location.export) && file.equals(location.file);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(export.key(), file.hashCode());
    }

    /** Another file of the same export. */
    public Location sibling(FileHandle other) {
        return new Location(export, other);
    }

    /** The identity of the file, which is the same through every export. */
    public FileIdentity identity() {
        return fileSystem().identity(file);
    }

    /** The file system that the file is in. */
    public FileSystem fileSystem() {
        return export.fileSystem();
    }

    public FileAttributes attributes() throws FsException {
        return fileSystem().attributes(file);
    }

    /** The attributes of the file; those not in {@code wanted} may have any value, except what never changes. */
    public FileAttributes attributes(Set<FileAttribute> wanted) throws FsException {
        return fileSystem().attributes(file, wanted);
    }

    public FileType type() throws FsException {
        return attributes(FileAttribute.NONE).type();
    }

    /** True if the files of the export are elsewhere, and clients are referred there. */
    public boolean isAbsent() {
        return export.traits().locations().isReferral();
    }

    public boolean isExportRoot() {
        return file.equals(fileSystem().root());
    }
}
