package org.warpnfs.iwarp.ddp;

import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * A segment does not hold its own header. RFC 5041, section 7.2 has no number for that, so the layer above finds one.
 */
public final class DdpSegmentTooShort extends ProtocolViolation {
    private static final long serialVersionUID = 1L;

    DdpSegmentTooShort(String detail) {
        super(detail);
    }
}
