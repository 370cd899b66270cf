package org.warpnfs.iwarp.ddp;

import org.warpnfs.iwarp.io.ProtocolViolation;

/** Thrown when the peer broke DDP. */
public final class DdpViolation extends ProtocolViolation {
    private static final long serialVersionUID = 1L;

    private final DdpError error;

    public DdpViolation(DdpError error, String detail) {
        super(detail);
        this.error = error;
    }

    public DdpError error() {
        return error;
    }
}
