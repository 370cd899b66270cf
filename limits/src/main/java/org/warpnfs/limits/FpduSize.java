package org.warpnfs.limits;

import java.util.Arrays;
import java.util.Optional;

/** How long the FPDUs (frames of iWARP) of a connection may be. */
public enum FpduSize {
    /** What fits the connection's TCP segments (EMSS), as RFC 5044, section 5.1 recommends. */
    MSS("mss", 64 << 10),
    /** 16 KiB. */
    KIB_16("16k", 16 << 10),
    /** 64 KiB, which is what the length field permits. */
    KIB_64("64k", 64 << 10);

    private final String word;
    private final int mostBytes;

    FpduSize(String word, int mostBytes) {
        this.word = word;
        this.mostBytes = mostBytes;
    }

    /** The size that a word names. */
    public static Optional<FpduSize> of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word.equalsIgnoreCase(word))
                .findAny();
    }

    /** The longest FPDU, if TCP segments are no shorter. */
    public int mostBytes() {
        return mostBytes;
    }

    /** The word in settings. */
    @Override
    public String toString() {
        return word;
    }
}
