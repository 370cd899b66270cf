package org.warpnfs.nfs.v4;

import java.util.Map;
import java.util.TreeMap;
import org.warpnfs.nfs.testing.CallWriter;

/** Builds an fattr4 (RFC 8881, section 3.3.7): values by the numbers of their attributes. */
final class Fattr {
    static final int SUPPORTED_ATTRS = 0;
    static final int TYPE = 1;
    static final int CHANGE = 3;
    static final int SIZE = 4;
    static final int FSID = 8;
    static final int RDATTR_ERROR = 11;
    static final int ACL = 12;
    static final int ACLSUPPORT = 13;
    static final int FILEHANDLE = 19;
    static final int FILEID = 20;
    static final int MODE = 33;
    static final int OWNER = 36;
    static final int OWNER_GROUP = 37;
    static final int TIME_ACCESS_SET = 48;
    static final int MOUNTED_ON_FILEID = 55;
    static final int SUPPATTR_EXCLCREAT = 75;
    static final int MODE_UMASK = 81;

    private final Map<Integer, byte[]> values = new TreeMap<>();

    static Fattr none() {
        return new Fattr();
    }

    static Fattr size(long bytes) {
        return none().with(SIZE, new CallWriter().hyper(bytes));
    }

    static Fattr mode(int permissions) {
        return none().with(MODE, new CallWriter().words(permissions));
    }

    static Fattr owner(String name) {
        return none().with(OWNER, new CallWriter().string(name));
    }

    static Fattr group(String name) {
        return none().with(OWNER_GROUP, new CallWriter().string(name));
    }

    static Fattr acl(Ace... aces) {
        CallWriter list = new CallWriter().words(aces.length);
        for (Ace ace : aces) {
            ace.write(list);
        }
        return none().with(ACL, list);
    }

    static Fattr modeUmask(int permissions, int umask) {
        return none().with(MODE_UMASK, new CallWriter().words(permissions, umask));
    }

    Fattr and(Fattr more) {
        values.putAll(more.values);
        return this;
    }

    Fattr with(int number, CallWriter value) {
        values.put(number, value.toBytes());
        return this;
    }

    void write(CallWriter c) {
        int[] mask = mask(values.keySet().stream().mapToInt(number -> number).toArray());
        int bytes = values.values().stream().mapToInt(value -> value.length).sum();
        c.words(mask.length).words(mask).words(bytes);
        values.values().forEach(c::bytes);
    }

    /** The words of a bitmap4 with these numbers, as few as possible. */
    static int[] mask(int... numbers) {
        int words = 0;
        for (int number : numbers) {
            words = Math.max(words, number / 32 + 1);
        }
        int[] mask = new int[words];
        for (int number : numbers) {
            mask[number / 32] |= 1 << number % 32;
        }
        return mask;
    }
}
