package org.warpnfs.fs.memory;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileType;

/** A regular file. */
final class RegularInode extends Inode {
    final FileContents contents;
    final PageAllocator allocator;
    /** Verifier of the exclusive create that made the file, until its times are set. */
    @Nullable
    Long createVerifier;
    /** Number of opens. It grows under the read lock. A file without opens and without names is removed. */
    final AtomicInteger openCount = new AtomicInteger();

    RegularInode(Birth birth, PageAllocator allocator) {
        super(birth);
        this.allocator = allocator;
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
