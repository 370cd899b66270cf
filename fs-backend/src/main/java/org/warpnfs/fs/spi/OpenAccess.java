package org.warpnfs.fs.spi;

/** What an {@link OpenFile} may be used for. */
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
