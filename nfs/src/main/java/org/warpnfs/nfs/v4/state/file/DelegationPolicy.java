package org.warpnfs.nfs.v4.state.file;

/** Which delegations clients may get. What they have already is not affected. */
public enum DelegationPolicy {
    NONE,
    READ,
    WRITE;

    boolean permits(DelegationKind kind) {
        return switch (kind) {
            case READ -> this != NONE;
            case WRITE -> this == WRITE;
        };
    }
}
