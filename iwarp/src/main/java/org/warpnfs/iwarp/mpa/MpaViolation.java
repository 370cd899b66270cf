package org.warpnfs.iwarp.mpa;

import org.warpnfs.iwarp.io.ProtocolViolation;

/** Thrown when the peer broke MPA. */
public final class MpaViolation extends ProtocolViolation {
    private static final long serialVersionUID = 1L;

    private final MpaError error;

    public MpaViolation(MpaError error, String detail) {
        super(detail);
        this.error = error;
    }

    public MpaError error() {
        return error;
    }
}
