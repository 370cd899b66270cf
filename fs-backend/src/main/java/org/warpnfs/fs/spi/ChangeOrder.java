package org.warpnfs.fs.spi;

/** Meaning of the order of two change ids of one file ({@link FileAttributes#changeId}). */
public enum ChangeOrder {
    /** Each change increases the number, whatever the clock does, for as long as the file's handle is valid. */
    GROWS,
    /**
     * The number comes from the change time that the host's file system keeps. It increases with each change unless the
     * host's clock goes back.
     */
    CHANGE_TIME,
    /** Different numbers are different states. Their order does not say which state is the later one. */
    NONE
}
