package org.warpnfs.tools.bench.compare;

/** The file system that holds the files. */
public enum Tree {
    TMPFS,
    EXT4;

    /** The word on the command line, in paths and in tables. */
    public String word() {
        return this == TMPFS ? "tmpfs" : "ext4";
    }
}
