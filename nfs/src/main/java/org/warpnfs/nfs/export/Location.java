package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;

/** One file of one export. Equal locations are the same file under the same policy. */
public record Location(Export export, FileHandle file) {
    /** Another file of the same export. */
    public Location sibling(FileHandle other) {
        return new Location(export, other);
    }

    /** The same for the same file, through whatever export it was reached. */
    public FileIdentity identity() {
        return export.fileSystem().identity(file);
    }

    public boolean isExportRoot() {
        return file.equals(export.fileSystem().root());
    }
}
