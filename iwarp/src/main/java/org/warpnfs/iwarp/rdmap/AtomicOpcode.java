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

    /** The code on the wire, four bits. */
    int code() {
        return code;
    }

    /** The operation of a code; null if the code is reserved or unassigned. */
    static @Nullable AtomicOpcode of(int code) {
        for (AtomicOpcode opcode : values()) {
            if (opcode.code == code) {
                return opcode;
            }
        }
        return null;
    }
}
