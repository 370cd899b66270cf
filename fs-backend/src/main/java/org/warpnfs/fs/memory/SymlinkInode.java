package org.warpnfs.fs.memory;

import org.warpnfs.fs.spi.FileType;

/** A symbolic link. */
final class SymlinkInode extends Inode {
    final byte[] target;

    SymlinkInode(Birth birth, byte[] target) {
        super(birth);
        this.target = target.clone();
    }

    @Override
    FileType type() {
        return FileType.SYMLINK;
    }

    @Override
    long sizeBytes() {
        return target.length;
    }

    @Override
    long usedBytes() {
        return target.length;
    }
}
