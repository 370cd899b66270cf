package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.Nullable;

/**
 * The atomic operations (RFC 7306, section 5.2.1, Figure 5, and section 10.1). The code between the two is reserved.
 */
public enum AtomicOpcode {
    FETCH_ADD(0),
    COMPARE_SWAP(2);

    private final int code;

    AtomicOpcode(int code) {
        this.code = code;
    }

    /** The four bits on the wire. */
    int code() {
        return code;
    }

    /** The operation of that code; null for a reserved or unassigned one. */
    static @Nullable AtomicOpcode of(int code) {
        for (AtomicOpcode opcode : values()) {
            if (opcode.code == code) {
                return opcode;
            }
        }
        return null;
    }
}
