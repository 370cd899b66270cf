package org.warpnfs.fs.spi;

/** Meaning of the order of two change ids of one file ({@link FileAttributes#changeId}). */
public enum ChangeOrder {
    /** Each change increases the number, whatever the clock does, for as long as the file's handle is valid. */
    GROWS,
    /**
     * Different numbers are different states. Their order does not say which state is the later one. Numbers that are
     * made from times are such: a clock may go back, and clients ignore attributes that they take for older ones.
     */
    NONE
}
