package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;

/**
 * A DDP segment, or the part of one that has arrived. It is parsed by the layouts of RFC 5041, sections 4.2 and 4.3,
 * RFC 5040, section 4 and RFC 7306 alone, without the code under test.
 */
record Segment(ByteBuffer bytes, int lengthBytes) {
    static final int TAGGED_BYTES = 14;
    static final int UNTAGGED_BYTES = 18;
    static final int WRITE = 0;
    static final int READ_REQUEST = 1;
    static final int READ_RESPONSE = 2;
    static final int SEND = 3;
    static final int SEND_INVALIDATE = 4;
    static final int SEND_SOLICITED = 5;
    static final int SEND_SOLICITED_INVALIDATE = 6;
    static final int TERMINATE = 7;
    static final int IMMEDIATE = 8;
    static final int IMMEDIATE_SOLICITED = 9;
    static final int ATOMIC_REQUEST = 10;
    static final int ATOMIC_RESPONSE = 11;

    boolean tagged() {
        return (bytes.get(0) & 0x80) != 0;
    }

    boolean last() {
        return (bytes.get(0) & 0x40) != 0;
    }

    int opcode() {
        return bytes.get(1) & 0x0f;
    }

    /** The STag of a tagged segment. In an untagged segment the same field is the STag to invalidate. */
    long stag() {
        return u32(2);
    }

    long taggedOffset() {
        return bytes.getLong(6);
    }

    long qn() {
        return u32(6);
    }

    long msn() {
        return u32(10);
    }

    long mo() {
        return u32(14);
    }

    int headerBytes() {
        return tagged() ? TAGGED_BYTES : UNTAGGED_BYTES;
    }

    boolean headerThere() {
        return bytes.remaining() > 0 && bytes.remaining() >= headerBytes();
    }

    /** The header alone. */
    ByteBuffer header() {
        return bytes.slice(0, headerBytes());
    }

    int payloadBytes() {
        return lengthBytes - headerBytes();
    }

    /** The part of the payload that has arrived. */
    ByteBuffer payload() {
        return bytes.slice(headerBytes(), bytes.remaining() - headerBytes());
    }

    /** Whether the constant fields are right: DDP version 1, RDMAP version 1, all reserved bits zero. */
    boolean wellFormed() {
        return (bytes.get(0) & 0x3f) == 1 && (bytes.get(1) & 0xf0) == 0x40;
    }

    private long u32(int at) {
        return Integer.toUnsignedLong(bytes.getInt(at));
    }

    @Override
    public String toString() {
        String where = tagged()
                ? String.format("stag %x to %x", stag(), taggedOffset())
                : String.format("qn %d msn %d mo %d stag %x", qn(), msn(), mo(), stag());
        return "opcode " + opcode() + (last() ? " last " : " ") + where + " of " + payloadBytes() + " bytes";
    }
}
