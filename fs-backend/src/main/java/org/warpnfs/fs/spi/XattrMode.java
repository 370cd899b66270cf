package org.warpnfs.fs.spi;

/** Whether an extended attribute must, may or must not exist before it is set (RFC 8276, section 8.4.2). */
public enum XattrMode {
    EITHER,
    CREATE,
    REPLACE
}
