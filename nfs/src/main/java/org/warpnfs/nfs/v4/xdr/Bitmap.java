package org.warpnfs.nfs.v4.xdr;

import java.util.BitSet;

/** bitmap4 (RFC 8881, section 3.2): an array of 32-bit words, the lowest bits first. */
public final class Bitmap {
    /**
     * Limit of a bitmap. It is many times the number of attributes, so a client may ask for unknown ones and gets those
     * that are known. Longer bitmaps are refused.
     */
    public static final int MAX_WORDS = 64;

    private static final int WORD_BITS = 32;

    private Bitmap() {}

    /** Decodes a bitmap; NFS4ERR_BADXDR if it has more than {@value #MAX_WORDS} words. */
    public static BitSet decode(CompoundReader in) throws Nfs4Exception {
        int words = in.count(MAX_WORDS);
        BitSet bits = new BitSet(words * WORD_BITS);
        for (int word = 0; word < words; word++) {
            int value = in.int32();
            for (int bit = 0; bit < WORD_BITS; bit++) {
                if ((value >>> bit & 1) != 0) {
                    bits.set(word * WORD_BITS + bit);
                }
            }
        }
        return bits;
    }

    /** Encodes a bitmap in as few words as possible. */
    public static void encode(BitSet bits, CompoundWriter out) {
        int words = (bits.length() + WORD_BITS - 1) / WORD_BITS;
        out.int32(words);
        for (int word = 0; word < words; word++) {
            int value = 0;
            for (int bit = 0; bit < WORD_BITS; bit++) {
                if (bits.get(word * WORD_BITS + bit)) {
                    value |= 1 << bit;
                }
            }
            out.int32(value);
        }
    }

    public static BitSet of(int... numbers) {
        BitSet bits = new BitSet();
        for (int number : numbers) {
            bits.set(number);
        }
        return bits;
    }
}
