package org.warpnfs.keys;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.List;

/**
 * Hash codes of what peers choose, under a secret of this process: SipHash-1-3 (Aumasson and Bernstein, 2012, with the
 * rounds that hash tables commonly use), folded to 32 bits.
 *
 * <p>Whoever knows how a key is hashed can make many keys with one hash code, and each call that looks for one of them
 * compares all. {@link java.util.HashMap} limits that to a logarithm for keys that are {@link Comparable}, so strings
 * and numbers may be keys by themselves. Records of them may not, nor may arrays and lists, nor anything in a hash
 * table that does not sort its bins. These have their hash code from here, or are {@link Keyed}.
 *
 * <p>The codes differ from one run to the next, so they must not be stored. Safe for any thread.
 */
public final class KeyedHash {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long KEY_0;
    private static final long KEY_1;

    static {
        SecureRandom random = new SecureRandom();
        KEY_0 = random.nextLong();
        KEY_1 = random.nextLong();
    }

    private long v0 = KEY_0 ^ 0x736f6d6570736575L;
    private long v1 = KEY_1 ^ 0x646f72616e646f6dL;
    private long v2 = KEY_0 ^ 0x6c7967656e657261L;
    private long v3 = KEY_1 ^ 0x7465646279746573L;

    private KeyedHash() {}

    /** The hash code of bytes. */
    public static int of(byte[] bytes) {
        KeyedHash hash = new KeyedHash();
        int whole = bytes.length & -Long.BYTES;
        for (int i = 0; i < whole; i += Long.BYTES) {
            hash.add((long) WORD.get(bytes, i));
        }
        long last = (long) bytes.length << 56;
        for (int i = whole; i < bytes.length; i++) {
            last |= (bytes[i] & 0xFFL) << ((i - whole) * Byte.SIZE);
        }
        hash.add(last);
        return hash.end();
    }

    /** The hash code of a number. */
    public static int of(long number) {
        KeyedHash hash = new KeyedHash();
        hash.add(number);
        return hash.end();
    }

    /** The hash code of two numbers, or of a number and a hash code. */
    public static int of(long first, long second) {
        KeyedHash hash = new KeyedHash();
        hash.add(first);
        hash.add(second);
        return hash.end();
    }

    /** The hash code of a text. */
    public static int of(String text) {
        KeyedHash hash = new KeyedHash();
        for (int i = 0; i < text.length(); i += Integer.BYTES) {
            long word = 0;
            for (int j = i; j < Math.min(i + Integer.BYTES, text.length()); j++) {
                word = word << Character.SIZE | text.charAt(j);
            }
            hash.add(word);
        }
        hash.add(text.length());
        return hash.end();
    }

    /** The hash code of an address. */
    public static int of(InetAddress address) {
        return of(address.getAddress());
    }

    /**
     * The hash code of a text, a number, an address or a list of these; that of anything else is its own under the
     * secret.
     */
    public static int ofAny(Object key) {
        return switch (key) {
            case String text -> of(text);
            case Long number -> of(number.longValue());
            case Integer number -> of(number.longValue());
            case InetAddress address -> of(address);
            case List<?> list -> ofList(list);
            default -> of(key.hashCode());
        };
    }

    private static int ofList(List<?> list) {
        KeyedHash hash = new KeyedHash();
        for (Object one : list) {
            hash.add(one instanceof Long number ? number : ofAny(one));
        }
        hash.add(list.size());
        return hash.end();
    }

    private void add(long word) {
        v3 ^= word;
        round();
        v0 ^= word;
    }

    private int end() {
        v2 ^= 0xFF;
        round();
        round();
        round();
        long hash = v0 ^ v1 ^ v2 ^ v3;
        return (int) (hash ^ hash >>> Integer.SIZE);
    }

    private void round() {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
    }
}
