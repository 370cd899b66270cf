package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.FileHandle;

/** One file of one export. Equal locations are the same file under the same policy. */
public record Location(Export export, FileHandle file) {
    /** Another file of the same export. */
    public Location sibling(FileHandle other) {
        return new Location(export, other);
    }

    public boolean isExportRoot() {
        return file.equals(export.fileSystem().root());
    }
}
