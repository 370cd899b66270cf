package org.warpnfs.nfs.v4.state.listing;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * How what clients call themselves and their owners is shown to people: nothing in it moves a cursor, and it has an
 * end.
 */
public final class ShownName {
    private static final int MAX_BYTES = 128;

    private ShownName() {}

    /**
     * The text, if it is all printable ASCII; else {@code 0x} and its bytes. What is longer than {@value #MAX_BYTES}
     * bytes ends in {@code ...}
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
