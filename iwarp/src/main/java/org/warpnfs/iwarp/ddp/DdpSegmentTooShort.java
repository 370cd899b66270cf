package org.warpnfs.iwarp.ddp;

import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Thrown when a segment is shorter than its header. RFC 5041, section 7.2 has no error code for that, so the upper
 * layer chooses one.
 */
public final class DdpSegmentTooShort extends ProtocolViolation {
    private static final long serialVersionUID = 1L;

    DdpSegmentTooShort(String detail) {
        super(detail);
    }
}
