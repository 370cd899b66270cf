package org.warpnfs.server.config;

/** Whether data in the page cache go from a file to a socket without a copy in user space. */
public enum Splice {
    /** Where the kernel and the connection permit it. */
    ON,
    /** All data are read before they are sent. */
    OFF
}
