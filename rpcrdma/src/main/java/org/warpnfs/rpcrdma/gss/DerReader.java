package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;

/**
 * Reads elements of ASN.1 in DER (X.690), as far as Kerberos needs it: tags of one byte, definite lengths.
 *
 * <p>Each length is compared with what is left before anything is done with it. Nothing is copied.
 */
final class DerReader {
    static final int INTEGER = 0x02;
    static final int OCTET_STRING = 0x04;
    static final int OBJECT_IDENTIFIER = 0x06;
    static final int GENERALIZED_TIME = 0x18;
    static final int SEQUENCE = 0x30;

    private static final int APPLICATION = 0x60;
    private static final int CONTEXT = 0xa0;
    private static final int LONG_FORM = 0x80;
    private static final int MAX_INTEGER_BYTES = 4;

    private final ByteBuffer in;

    /** Reads from position to limit; the position of {@code bytes} does not change. */
    DerReader(ByteBuffer bytes) {
        in = bytes.slice();
    }

    /** These bytes are not the element that is expected. It carries no stack trace, since it reports no defect. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String detail) {
            super(detail, null, false, false);
        }
    }

    static int application(int number) {
        return APPLICATION | number;
    }

    static int context(int number) {
        return CONTEXT | number;
    }

    /** What is left. */
    ByteBuffer rest() {
        return in.slice();
    }

    /** True if the next element has this tag. */
    boolean isNext(int tag) {
        return in.hasRemaining() && Byte.toUnsignedInt(in.get(in.position())) == tag;
    }

    /** The contents of the next element, which must have this tag. */
    DerReader enter(int tag) throws Malformed {
        if (!isNext(tag)) {
            throw new Malformed("no element of tag " + tag);
        }
        in.get();
        int lengthBytes = length();
        if (lengthBytes > in.remaining()) {
            throw new Malformed("an element of " + lengthBytes + " bytes with " + in.remaining() + " left");
        }
        DerReader inside = new DerReader(in.slice(in.position(), lengthBytes));
        in.position(in.position() + lengthBytes);
        return inside;
    }

    private int length() throws Malformed {
        if (!in.hasRemaining()) {
            throw new Malformed("an element without a length");
        }
        int first = Byte.toUnsignedInt(in.get());
        if (first < LONG_FORM) {
            return first;
        }
        int words = first - LONG_FORM;
        // Three bytes are more than any token has.
        if (words == 0 || words > 3 || words > in.remaining()) {
            throw new Malformed("a length of " + words + " bytes");
        }
        int length = 0;
        for (int i = 0; i < words; i++) {
            length = length << Byte.SIZE | Byte.toUnsignedInt(in.get());
        }
        return length;
    }

    /** An INTEGER of four bytes at most. */
    int integer() throws Malformed {
        ByteBuffer value = enter(INTEGER).in;
        if (value.remaining() == 0 || value.remaining() > MAX_INTEGER_BYTES) {
            throw new Malformed("a number of " + value.remaining() + " bytes");
        }
        int number = value.get();
        while (value.hasRemaining()) {
            number = number << Byte.SIZE | Byte.toUnsignedInt(value.get());
        }
        return number;
    }

    /** The bytes of the next element, which must have this tag. */
    byte[] bytes(int tag) throws Malformed {
        ByteBuffer value = enter(tag).in;
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        return bytes;
    }
}
