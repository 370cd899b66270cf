package org.warpnfs.iwarp.rdmap;

/**
 * The RDMAP control byte, which DDP carries as the first RsvdULP byte (RFC 5040, section 4.1).
 *
 * <pre>
 * 0xc0 version, 01b   0x30 reserved, sent as zero, ignored   0x0f opcode
 * </pre>
 */
final class RdmapControl {
    private static final int VERSION = 1;
    private static final int VERSION_SHIFT = 6;
    static final int OPCODE_MASK = 0x0f;

    private RdmapControl() {}

    static int of(RdmapOpcode opcode) {
        return (VERSION << VERSION_SHIFT) | opcode.code();
    }

    /** Checks version and opcode of a segment. */
    static RdmapOpcode check(int control) throws RdmapViolation {
        int version = control >> VERSION_SHIFT;
        if (version != VERSION) {
            throw new RdmapViolation(
                    RdmapError.OPERATION_VERSION, "RDMAP version " + version + " (RFC 5040, section 4.1)");
        }
        RdmapOpcode opcode = RdmapOpcode.of(control & OPCODE_MASK);
        if (opcode == null) {
            throw new RdmapViolation(
                    RdmapError.OPERATION_OPCODE, "opcode " + (control & OPCODE_MASK) + " (RFC 5040, section 4.1)");
        }
        return opcode;
    }
}
