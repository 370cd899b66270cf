package org.warpnfs.nfs.export;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.warpnfs.fs.spi.FileName;

/**
 * Hashes of paths that are the same after every restart and on every host. So are the handles and file ids made of
 * them. The function must never change, since clients hold its results.
 */
final class PathHash {
    private static final HashFunction HASH = Hashing.sipHash24();

    private PathHash() {}

    static long of(PseudoPath path) {
        Hasher hasher = HASH.newHasher();
        put(path, hasher);
        return hasher.hash().asLong();
    }

    /** The hash of an fsid that an administrator chose. It never has the bytes of a path, since a path has no NUL. */
    static long ofFsid(String fsid) {
        return HASH.newHasher()
                .putByte((byte) 0)
                .putBytes(fsid.getBytes(StandardCharsets.UTF_8))
                .hash()
                .asLong();
    }

    /** The hash of several paths, in their order. */
    static long of(List<PseudoPath> paths) {
        Hasher hasher = HASH.newHasher();
        for (PseudoPath path : paths) {
            put(path, hasher);
            // Separates the paths: no name has a NUL.
            hasher.putByte((byte) 0);
        }
        return hasher.hash().asLong();
    }

    private static void put(PseudoPath path, Hasher hasher) {
        for (FileName name : path.components()) {
            hasher.putByte((byte) '/').putBytes(name.toBytes());
        }
    }
}
