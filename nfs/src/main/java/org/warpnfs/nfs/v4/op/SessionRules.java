package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Positions of operations in a COMPOUND (RFC 8881, sections 2.10.6.1.2 and 16.2.3). All operations follow a SEQUENCE,
 * except those that create and destroy clients and sessions. Without a SEQUENCE, such an operation must be the only
 * one.
 */
public final class SessionRules {
    private SessionRules() {}

    /** OP_NOT_IN_SESSION, SEQUENCE_POS or NOT_ONLY_OP for an operation in a wrong position, else null. */
    public static @Nullable Nfs4Status faultOf(OpCode code, int index, int operationCount, boolean inSession) {
        if (code == OpCode.SEQUENCE) {
            return index == 0 ? null : Nfs4Status.SEQUENCE_POS;
        }
        return switch (code) {
            case EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, DESTROY_CLIENTID ->
                inSession || operationCount == 1 ? null : Nfs4Status.NOT_ONLY_OP;
            case BIND_CONN_TO_SESSION -> operationCount == 1 ? null : Nfs4Status.NOT_ONLY_OP;
            default -> inSession ? null : Nfs4Status.OP_NOT_IN_SESSION;
        };
    }
}
