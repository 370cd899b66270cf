package org.warpnfs.nfs.v4.attr;

import java.util.BitSet;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/**
 * The value of open_arguments (RFC 9754, section 3): the arguments of OPEN that this server understands, each a bitmap
 * of the values of one argument. A Linux client that sees the two wants of RFC 9754 sends them.
 */
final class SupportedOpenArguments {
    private static final BitSet SHARE_ACCESS = Bitmap.of(1, 2, 3);
    private static final BitSet SHARE_DENY = Bitmap.of(0, 1, 2, 3);
    /** Any delegation, none, cancel, timestamps, and either an open or a delegation. */
    private static final BitSet SHARE_ACCESS_WANT = Bitmap.of(3, 4, 5, 20, 21);
    /** All claims but those of delegations from before the client's restart. */
    private static final BitSet OPEN_CLAIM = Bitmap.of(0, 1, 2, 4, 5);

    private static final BitSet CREATE_MODE = Bitmap.of(0, 1, 2, 3);

    private SupportedOpenArguments() {}

    static void encode(CompoundWriter out) {
        Bitmap.encode(SHARE_ACCESS, out);
        Bitmap.encode(SHARE_DENY, out);
        Bitmap.encode(SHARE_ACCESS_WANT, out);
        Bitmap.encode(OPEN_CLAIM, out);
        Bitmap.encode(CREATE_MODE, out);
    }
}
