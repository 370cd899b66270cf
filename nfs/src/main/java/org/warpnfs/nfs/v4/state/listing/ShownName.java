package org.warpnfs.nfs.v4.state.listing;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Makes names that clients have chosen for themselves and their owners safe to show to people: printable characters
 * only, and a limited length.
 */
public final class ShownName {
    private static final int MAX_BYTES = 128;

    private ShownName() {}

    /**
     * The text, if it is all printable ASCII; else {@code 0x} and its bytes in hexadecimal. A name of more than
     * {@value #MAX_BYTES} bytes is cut off and ends in {@code ...}
     */
    public static String of(Opaque name) {
        byte[] bytes = name.toBytes();
        int length = Math.min(bytes.length, MAX_BYTES);
        boolean plain = length > 0;
        for (int i = 0; i < length; i++) {
            plain &= bytes[i] >= ' ' && bytes[i] <= '~';
        }
        String shown = plain
                ? new String(bytes, 0, length, StandardCharsets.US_ASCII)
                : "0x" + HexFormat.of().formatHex(bytes, 0, length);
        return length < bytes.length ? shown + "..." : shown;
    }
}
