package org.warpnfs.rpcrdma.oncrpc;

import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Finds the lane of a call that has just arrived. It reads the program and the procedure from the header and asks the
 * program.
 *
 * <p>It does not check the call. A header that cannot be read gives {@link Lane#SHORT}, where the call is refused. Runs
 * on a connection's event loop.
 */
final class LaneLook {
    private static final Logger LOG = LoggerFactory.getLogger(LaneLook.class);

    /** XID, direction and RPC version, which is not checked here. */
    private static final int BEFORE_PROGRAM_BYTES = 3 * Integer.BYTES;
    /**
     * Six words of the header, and the flavors and lengths of an empty credential and verifier (RFC 5531, section 9).
     */
    private static final int LEAST_CALL_BYTES = 10 * Integer.BYTES;
    /** The longest credential or verifier (RFC 5531, section 8.2). */
    private static final int MAX_AUTH_BYTES = 400;

    /** Longer arguments have data in them, or many operations, and are not for an event loop. */
    private static final int MAX_QUICK_BYTES = 2048;

    private LaneLook() {}

    /** The lane of a call that has not been read from. The call is rewound. */
    static Lane laneOf(XdrStream call, ProgramTable programs, Lane earliest) {
        try {
            return look(call, programs, earliest);
        } catch (RuntimeException e) {
            call.rewind();
            LOG.atError()
                    .addKeyValue("xid", Integer.toHexString(call.readInt()))
                    .log("a program could not name the lane of a call, by a bug of the server", e);
            return Lane.SHORT;
        } finally {
            call.rewind();
        }
    }

    private static Lane look(XdrStream call, ProgramTable programs, Lane earliest) {
        if (call.remainingBytes() < LEAST_CALL_BYTES) {
            return Lane.SHORT;
        }
        call.skip(BEFORE_PROGRAM_BYTES);
        RpcDispatchable program = programs.find(call.readInt(), call.readInt());
        if (!(program instanceof LaneProgram lanes)) {
            return Lane.SHORT;
        }
        int procedure = call.readInt();
        boolean credentialIsThere = skipAuth(call);
        boolean verifierIsThere = credentialIsThere && skipAuth(call);
        if (!verifierIsThere) {
            return Lane.SHORT;
        }
        Lane first = call.remainingBytes() > MAX_QUICK_BYTES ? Lane.SHORT : earliest;
        return lanes.laneOf(procedure, call.unreadPiece(), first);
    }

    private static boolean skipAuth(XdrStream call) {
        if (call.remainingBytes() < 2 * Integer.BYTES) {
            return false;
        }
        call.skip(Integer.BYTES);
        int lengthBytes = call.readInt();
        if (lengthBytes < 0 || lengthBytes > MAX_AUTH_BYTES || XdrStream.roundUp(lengthBytes) > call.remainingBytes()) {
            return false;
        }
        call.skip(XdrStream.roundUp(lengthBytes));
        return true;
    }
}
