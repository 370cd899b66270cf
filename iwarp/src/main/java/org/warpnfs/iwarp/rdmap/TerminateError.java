package org.warpnfs.iwarp.rdmap;

/**
 * Layer, error type and error code of a Terminate (RFC 5040, section 4.8, Figure 9; RFC 5041, section 7.2; RFC 5044,
 * section 8). They are kept as numbers, so that unassigned values from a peer can be shown too.
 *
 * @param layer 0 RDMA, 1 DDP, 2 LLP
 * @param type error type, 4 bits
 * @param code error code, 8 bits
 */
public record TerminateError(int layer, int type, int code) {
    public static final int LAYER_RDMA = 0;
    public static final int LAYER_DDP = 1;
    public static final int LAYER_LLP = 2;

    /** Whether the error says that the peer does not know an operation that it was sent. */
    public boolean isUnknownOpcode() {
        return layer == LAYER_RDMA
                && type == RdmapError.OPERATION_OPCODE.type()
                && code == RdmapError.OPERATION_OPCODE.code();
    }

    /** Whether an RFC assigns this combination of the three numbers. */
    boolean assigned() {
        return switch ((layer << 4) | type) {
            case 0x00 -> true;
            case 0x01 -> code <= 4 || code == 9 || code == 0xff;
            case 0x02 -> (code >= 5 && code <= 9) || code == 0xff;
            case 0x10 -> code == 0;
            case 0x11 -> code <= 4;
            case 0x12 -> code >= 1 && code <= 6;
            case 0x20 -> code >= 1 && code <= 7;
            default -> false;
        };
    }

    @Override
    public String toString() {
        String name =
                switch (layer) {
                    case LAYER_RDMA -> "RDMA";
                    case LAYER_DDP -> "DDP";
                    case LAYER_LLP -> "LLP";
                    default -> "unknown";
                };
        return String.format("layer %d (%s) type %d code 0x%02x", layer, name, type, code);
    }
}
