package org.warpnfs.iwarp;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Bytes as tests write them: hex digits, with spaces and bars for readability. */
public final class Hex {
    private Hex() {}

    public static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replaceAll("[\\s|]", "")));
    }

    public static String of(ByteBuffer bytes) {
        byte[] out = new byte[bytes.remaining()];
        bytes.duplicate().get(out);
        return HexFormat.of().formatHex(out);
    }
}
