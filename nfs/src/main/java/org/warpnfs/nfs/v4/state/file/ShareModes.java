package org.warpnfs.nfs.v4.state.file;

/**
 * The share access (or deny) values of the OPENs of an open. Bit n is set if an OPEN had the value n. OPEN_DOWNGRADE
 * may only go back to a union of these (RFC 8881, section 18.18.3).
 */
final class ShareModes {
    private ShareModes() {}

    /** True if {@code bits} is a union of values in {@code seen}. */
    static boolean isUnionOf(int bits, int seen) {
        int union = 0;
        for (int mode = 1; mode <= OpenRequest.BOTH; mode++) {
            if ((seen >> mode & 1) != 0 && (mode & ~bits) == 0) {
                union |= mode;
            }
        }
        return union == bits;
    }

    /** The values in {@code seen} that are within {@code bits}. */
    static int subsetsOf(int bits, int seen) {
        int rest = 0;
        for (int mode = 0; mode <= OpenRequest.BOTH; mode++) {
            if ((seen >> mode & 1) != 0 && (mode & ~bits) == 0) {
                rest |= 1 << mode;
            }
        }
        return rest;
    }
}
