package org.warpnfs.server.config;

/** Where the files are. */
public enum Backend {
    /** Directories of this host. */
    LOCAL,
    /** The server's own memory; gone when it stops. */
    MEMORY
}
