package org.warpnfs.iwarp.rdmap;

/**
 * The messages of RFC 7306 that a stream supports. A message that is switched off is an unknown operation. Without
 * atomic operations there is no queue 3.
 *
 * @param atomics Atomic Request and Atomic Response, with every operation and mask
 * @param immediateData both forms of Immediate Data
 */
public record RdmapExtensions(boolean atomics, boolean immediateData) {
    /** No extension: RFC 5040 alone. */
    public static final RdmapExtensions NONE = new RdmapExtensions(false, false);

    boolean know(RdmapOpcode opcode) {
        return switch (opcode) {
            case ATOMIC_REQUEST, ATOMIC_RESPONSE -> atomics;
            case IMMEDIATE_DATA, IMMEDIATE_DATA_SOLICITED -> immediateData;
            case RDMA_WRITE,
                    READ_REQUEST,
                    READ_RESPONSE,
                    SEND,
                    SEND_INVALIDATE,
                    SEND_SOLICITED,
                    SEND_SOLICITED_INVALIDATE,
                    TERMINATE -> true;
        };
    }
}
