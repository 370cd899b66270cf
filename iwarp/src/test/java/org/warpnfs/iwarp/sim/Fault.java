package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;

/**
 * The contents of a Terminate (RFC 5040, section 4.8, RFC 5041, section 7.2, RFC 5044, section 8), for each violation
 * that the simulation causes.
 */
enum Fault {
    LOCAL_CATASTROPHE(0, 0, 0),
    CRC(2, 0, 2),
    TAGGED_INVALID_STAG(1, 1, 0),
    TAGGED_BOUNDS(1, 1, 1),
    TAGGED_OTHER_STREAM(1, 1, 2),
    TAGGED_WRAP(1, 1, 3),
    NO_RECEIVE(1, 2, 2),
    MESSAGE_TOO_LONG(1, 2, 5),
    INVALID_STAG(0, 1, 0),
    BOUNDS(0, 1, 1),
    ACCESS_RIGHTS(0, 1, 2),
    OTHER_STREAM(0, 1, 3),
    WRAP(0, 1, 4),
    CANNOT_INVALIDATE_OTHERS(0, 1, 9),
    UNKNOWN_OPCODE(0, 2, 6),
    MISALIGNED(0, 2, 7),
    CANNOT_INVALIDATE(0, 2, 9);

    private static final int WITH_SEGMENT = 0xc0;
    private static final int WITH_REQUEST = 0x20;

    private final int layerAndType;
    private final int code;

    Fault(int layer, int type, int code) {
        this.layerAndType = layer << 4 | type;
        this.code = code;
    }

    /** The Terminate that names no segment. */
    ByteBuffer bare() {
        return start(0).putInt(0, (layerAndType << 8 | code) << 16).limit(4);
    }

    /**
     * The Terminate about a segment.
     *
     * @param readRequest the Read Request in it, if the fault is there; null for none
     */
    ByteBuffer about(int segmentBytes, ByteBuffer header, ByteBuffer readRequest) {
        ByteBuffer message = start(readRequest == null ? WITH_SEGMENT : WITH_SEGMENT | WITH_REQUEST);
        message.position(4).putShort((short) segmentBytes).put(header.duplicate());
        if (readRequest != null) {
            message.put(readRequest.duplicate());
        }
        return message.flip();
    }

    private ByteBuffer start(int flags) {
        return ByteBuffer.allocate(64)
                .put(0, (byte) layerAndType)
                .put(1, (byte) code)
                .put(2, (byte) flags);
    }

    /** The fault that a Terminate names; null if it names none of these. */
    static Fault of(ByteBuffer terminate) {
        for (Fault fault : values()) {
            if (terminate.get(0) == (byte) fault.layerAndType && terminate.get(1) == (byte) fault.code) {
                return fault;
            }
        }
        return null;
    }
}
