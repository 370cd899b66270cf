package org.warpnfs.tools.bench;

/** The operation on the file that is measured. */
public enum Operation {
    READ(false, false),
    WRITE(true, false),
    RANDREAD(false, true),
    RANDWRITE(true, true);

    private final boolean writes;
    private final boolean random;

    Operation(boolean writes, boolean random) {
        this.writes = writes;
        this.random = random;
    }

    public boolean writes() {
        return writes;
    }

    public boolean random() {
        return random;
    }
}
