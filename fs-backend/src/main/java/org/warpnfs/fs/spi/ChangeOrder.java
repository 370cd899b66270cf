package org.warpnfs.fs.spi;

/** What the order of two change ids of one file ({@link FileAttributes#changeId}) says. */
public enum ChangeOrder {
    /** Each change makes the number larger, whatever the clock does, for as long as the file's handle names it. */
    GROWS,
    /**
     * The number is made from the change time that the host's file system keeps. It grows with each change as long as
     * the host's clock does not go back.
     */
    CHANGE_TIME,
    /** Another number is another state; which of two is the later one it does not say. */
    NONE
}
