package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.mpa.MpaViolation;

/** The exchange of startup frames, in one of its two roles (RFC 5044, section 7.1.2). */
sealed interface Startup permits ResponderStartup, InitiatorStartup {
    /** Consumes bytes up to the end of the peer's frame. */
    void received(ByteBuffer in) throws MpaViolation;
}
