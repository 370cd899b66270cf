package org.warpnfs.fs.memory;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileType;

/** A file with contents. */
final class RegularInode extends Inode {
    final FileContents contents;
    /** Of the exclusive create that made it, until its times are set. */
    @Nullable
    Long createVerifier;
    /** How many hold it open; with none and no name it goes. */
    int openCount;

    RegularInode(Birth birth, PageAllocator allocator) {
        super(birth);
        this.contents = new FileContents(allocator);
    }

    @Override
    FileType type() {
        return FileType.REGULAR;
    }

    @Override
    long sizeBytes() {
        return contents.sizeBytes();
    }

    @Override
    long usedBytes() {
        return contents.usedBytes();
    }
}
