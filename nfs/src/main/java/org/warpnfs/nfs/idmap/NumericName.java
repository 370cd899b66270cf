package org.warpnfs.nfs.idmap;

/** A user or group by number, in decimal digits, as Linux sends it with AUTH_SYS. */
final class NumericName {
    private static final int MAX_DIGITS = 10;
    private static final long NOBODY_AT_ALL = 0xffff_ffffL;

    private NumericName() {}

    /** True if the name consists of digits. Such a name is never looked up. */
    static boolean isNumber(byte[] name) {
        for (byte b : name) {
            if (b < '0' || b > '9') {
                return false;
            }
        }
        return name.length > 0;
    }

    /** The number: unsigned 32 bits, except (uid_t) -1, which the kernel takes for nobody. */
    static long parse(byte[] name) throws UnknownName {
        if (!isNumber(name) || name.length > MAX_DIGITS) {
            throw new UnknownName();
        }
        long id = 0;
        for (byte digit : name) {
            id = id * 10 + (digit - '0');
        }
        if (id >= NOBODY_AT_ALL) {
            throw new UnknownName();
        }
        return id;
    }
}
