package org.warpnfs.nfs.v4.state.file;

/** Which delegations clients may get. What they have already is not affected. */
public enum DelegationPolicy {
    NONE,
    /** Read delegations of files. */
    READ,
    /** Read and write delegations of files. */
    WRITE,
    /** Those, and delegations of directories. */
    ALL;

    boolean permits(DelegationKind kind) {
        return switch (kind) {
            case READ -> this != NONE;
            case WRITE -> this == WRITE || this == ALL;
        };
    }

    boolean permitsDirectories() {
        return this == ALL;
    }
}
