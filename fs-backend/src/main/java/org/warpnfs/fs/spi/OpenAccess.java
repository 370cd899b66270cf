package org.warpnfs.fs.spi;

/** Access for which an {@link OpenFile} was opened. */
public enum OpenAccess {
    READ,
    WRITE,
    READ_WRITE;

    public boolean reads() {
        return this != WRITE;
    }

    public boolean writes() {
        return this != READ;
    }
}
