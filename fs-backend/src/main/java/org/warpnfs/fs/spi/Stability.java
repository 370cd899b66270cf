package org.warpnfs.fs.spi;

/** Durability of written data when a write returns (RFC 1813, section 3.3.7), weakest first. */
public enum Stability {
    /** The data may be lost if the server or its host stops before a sync. */
    UNSTABLE,
    /** The data, and the metadata needed to find them again, are on stable storage. */
    DATA_SYNC,
    /** Data and attributes are on stable storage. */
    FILE_SYNC
}
