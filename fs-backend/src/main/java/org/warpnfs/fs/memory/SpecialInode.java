package org.warpnfs.fs.memory;

import org.warpnfs.fs.spi.FileType;

/** A device, FIFO or socket. */
final class SpecialInode extends Inode {
    private final FileType type;
    private final int deviceMajor;
    private final int deviceMinor;

    SpecialInode(Birth birth, FileType type, int deviceMajor, int deviceMinor) {
        super(birth);
        this.type = type;
        this.deviceMajor = deviceMajor;
        this.deviceMinor = deviceMinor;
    }

    @Override
    FileType type() {
        return type;
    }

    @Override
    long sizeBytes() {
        return 0;
    }

    @Override
    long usedBytes() {
        return 0;
    }

    @Override
    int deviceMajor() {
        return deviceMajor;
    }

    @Override
    int deviceMinor() {
        return deviceMinor;
    }
}
