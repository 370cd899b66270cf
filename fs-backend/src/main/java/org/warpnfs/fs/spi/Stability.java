package org.warpnfs.fs.spi;

/** How safe written data are when a write returns (RFC 1813, section 3.3.7), weakest first. */
public enum Stability {
    /** May be lost if the server or its host stops, until a sync. */
    UNSTABLE,
    /** The data, and what is needed to find them again, are on stable storage. */
    DATA_SYNC,
    /** Data and attributes are on stable storage. */
    FILE_SYNC
}
