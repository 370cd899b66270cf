package org.warpnfs.rpcrdma.server;

import java.util.Optional;
import org.warpnfs.keys.KeyedHash;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * The procedure that a call names in its RPC header (RFC 5531, section 9). Each number is unsigned 32 bits. For logs
 * only: the numbers are not checked.
 */
record CalledProcedure(int program, int version, int procedure) {
    @Override
    public int hashCode() {
        return KeyedHash.of((long) program << 32 ^ version, procedure);
    }

    /** XID, direction, and RPC version. */
    private static final int BEFORE_PROGRAM_BYTES = 3 * Integer.BYTES;

    private static final int NEEDED_BYTES = BEFORE_PROGRAM_BYTES + 3 * Integer.BYTES;

    /**
     * Reads the header of a call that has not been read from, and rewinds it. Empty if the call is too short to have a
     * header.
     */
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
