package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.Nullable;

/** The operations of RFC 5040 section 4.1, Figure 4, with the kind of buffer that each goes to. */
public enum RdmapOpcode {
    RDMA_WRITE(0, RdmapOpcode.TAGGED),
    READ_REQUEST(1, RdmapQueue.READ_REQUESTS),
    READ_RESPONSE(2, RdmapOpcode.TAGGED),
    SEND(3, RdmapQueue.SENDS),
    SEND_INVALIDATE(4, RdmapQueue.SENDS),
    SEND_SOLICITED(5, RdmapQueue.SENDS),
    SEND_SOLICITED_INVALIDATE(6, RdmapQueue.SENDS),
    TERMINATE(7, RdmapQueue.TERMINATES);

    private static final int TAGGED = -1;
    private static final RdmapOpcode[] BY_CODE = values();

    private final int code;
    private final int qn;

    RdmapOpcode(int code, int qn) {
        this.code = code;
        this.qn = qn;
    }

    /** The four bits on the wire. */
    public int code() {
        return code;
    }

    /** Whether its messages are tagged. */
    public boolean tagged() {
        return qn == TAGGED;
    }

    /** Whether its messages go to that queue. */
    boolean goesTo(long queueNumber) {
        return qn == queueNumber;
    }

    /** Whether it invalidates an STag of its receiver's. */
    public boolean invalidates() {
        return this == SEND_INVALIDATE || this == SEND_SOLICITED_INVALIDATE;
    }

    /** Whether its receiver is asked for an event. */
    public boolean solicited() {
        return this == SEND_SOLICITED || this == SEND_SOLICITED_INVALIDATE;
    }

    /** The Send with these two properties. */
    static RdmapOpcode send(boolean solicited, boolean invalidates) {
        if (invalidates) {
            return solicited ? SEND_SOLICITED_INVALIDATE : SEND_INVALIDATE;
        }
        return solicited ? SEND_SOLICITED : SEND;
    }

    /** The opcode of that number; null for a reserved one. */
    static @Nullable RdmapOpcode of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
