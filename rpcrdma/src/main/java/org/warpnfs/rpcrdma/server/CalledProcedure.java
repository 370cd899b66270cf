package org.warpnfs.rpcrdma.server;

import java.util.Optional;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * What a call asks for, by the words of its RPC header (RFC 5531, section 9), each an unsigned 32-bit number. For logs
 * alone: nothing is judged here.
 */
record CalledProcedure(int program, int version, int procedure) {
    /** XID, direction, and version of RPC. */
    private static final int BEFORE_PROGRAM_BYTES = 3 * Integer.BYTES;

    private static final int NEEDED_BYTES = BEFORE_PROGRAM_BYTES + 3 * Integer.BYTES;

    /** Looks at a call that nobody has read from, and leaves it so; empty if it is too short to have a header. */
    static Optional<CalledProcedure> of(XdrStream call) {
        if (call.remainingBytes() < NEEDED_BYTES) {
            return Optional.empty();
        }
        call.skip(BEFORE_PROGRAM_BYTES);
        CalledProcedure called = new CalledProcedure(call.readInt(), call.readInt(), call.readInt());
        call.rewind();
        return Optional.of(called);
    }

    @Override
    public String toString() {
        return "program " + Integer.toUnsignedString(program) + " version " + Integer.toUnsignedString(version)
                + " procedure " + Integer.toUnsignedString(procedure);
    }
}
