package org.warpnfs.tools.bench.compare;

/** Where the files are. */
public enum Tree {
    TMPFS,
    EXT4;

    /** What it is called on the command line, in paths and in tables. */
    public String word() {
        return this == TMPFS ? "tmpfs" : "ext4";
    }
}
