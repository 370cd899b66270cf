package org.warpnfs.iwarp.rdmap;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of RFC 5040, section 4.1, Figure 4, and RFC 7306, section 4.1, Figure 2, with the kind of buffer that
 * each goes to.
 */
public enum RdmapOpcode {
    RDMA_WRITE(0, RdmapOpcode.TAGGED),
    READ_REQUEST(1, RdmapQueue.READ_REQUESTS),
    READ_RESPONSE(2, RdmapOpcode.TAGGED),
    SEND(3, RdmapQueue.SENDS),
    SEND_INVALIDATE(4, RdmapQueue.SENDS),
    SEND_SOLICITED(5, RdmapQueue.SENDS),
    SEND_SOLICITED_INVALIDATE(6, RdmapQueue.SENDS),
    TERMINATE(7, RdmapQueue.TERMINATES),
    IMMEDIATE_DATA(8, RdmapQueue.SENDS),
    IMMEDIATE_DATA_SOLICITED(9, RdmapQueue.SENDS),
    ATOMIC_REQUEST(10, RdmapQueue.READ_REQUESTS),
    ATOMIC_RESPONSE(11, RdmapQueue.ATOMIC_RESPONSES);

    private static final int TAGGED = -1;
    private static final List<RdmapOpcode> BY_CODE = List.of(values());

    private final int code;
    private final int qn;

    RdmapOpcode(int code, int qn) {
        this.code = code;
        this.qn = qn;
    }

    /** The code on the wire, four bits. */
    public int code() {
        return code;
    }

    /** Whether its messages are tagged. */
    public boolean tagged() {
        return qn == TAGGED;
    }

    /** Whether an RDMAP control byte has this opcode. */
    public boolean isThatOf(int control) {
        return (control & RdmapControl.OPCODE_MASK) == code;
    }

    /** Whether its messages go to the queue of this number. */
    boolean goesTo(long queueNumber) {
        return qn == queueNumber;
    }

    /** Whether it invalidates an STag of its receiver. */
    public boolean invalidates() {
        return this == SEND_INVALIDATE || this == SEND_SOLICITED_INVALIDATE;
    }

    /** Whether it asks its receiver for an event. */
    public boolean solicited() {
        return this == SEND_SOLICITED || this == SEND_SOLICITED_INVALIDATE || this == IMMEDIATE_DATA_SOLICITED;
    }

    /** The Send with these two properties. */
    static RdmapOpcode send(boolean solicited, boolean invalidates) {
        if (invalidates) {
            return solicited ? SEND_SOLICITED_INVALIDATE : SEND_INVALIDATE;
        }
        return solicited ? SEND_SOLICITED : SEND;
    }

    /** The opcode of a code; null if the code is reserved. */
    static @Nullable RdmapOpcode of(int code) {
        return code < BY_CODE.size() ? BY_CODE.get(code) : null;
    }
}
