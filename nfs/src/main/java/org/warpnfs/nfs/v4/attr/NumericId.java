package org.warpnfs.nfs.v4.attr;

import java.nio.charset.StandardCharsets;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/**
 * Users and groups as AUTH_SYS has them: numbers in decimal digits (RFC 8881 section 5.9), as Linux sends them. A name needs a mapping that
 * only the client has.
 */
final class NumericId {
    static final int MAX_ENCODED_BYTES = 1024;
    private static final int MAX_DIGITS = 10;
    private static final long NOBODY_AT_ALL = 0xffff_ffffL;

    private NumericId() {}

    /** The number, or BADOWNER where there is none that a user can have: unsigned 32 bits, except (uid_t) -1, which means nobody to the kernel. */
    static long parse(byte[] encoded) throws Nfs4Exception {
        String text = new String(encoded, StandardCharsets.ISO_8859_1);
        boolean digits =
                !text.isEmpty() && text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        long id = digits ? Long.parseLong(text) : -1;
        if (id < 0 || id >= NOBODY_AT_ALL) {
            throw Nfs4Exception.of(Nfs4Status.BADOWNER);
        }
        return id;
    }

    static void encode(long id, XdrWriter out) {
        out.opaque(Long.toString(id).getBytes(StandardCharsets.US_ASCII));
    }
}
