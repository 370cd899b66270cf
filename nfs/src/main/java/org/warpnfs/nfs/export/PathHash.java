package org.warpnfs.nfs.export;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.warpnfs.fs.spi.FileName;

/**
 * Numbers for paths that are the same after every restart and on every host, so that handles and file ids made of them
 * are too. The function must never change: clients hold what it gave.
 */
final class PathHash {
    private static final HashFunction HASH = Hashing.sipHash24();

    private PathHash() {}

    static long of(PseudoPath path) {
        Hasher hasher = HASH.newHasher();
        put(path, hasher);
        return hasher.hash().asLong();
    }

    /** Of what an administrator named a file system. No path has a NUL, so no path has the same bytes. */
    static long ofFsid(String fsid) {
        return HASH.newHasher()
                .putByte((byte) 0)
                .putBytes(fsid.getBytes(StandardCharsets.UTF_8))
                .hash()
                .asLong();
    }

    /** Of several, in their order. */
    static long of(List<PseudoPath> paths) {
        Hasher hasher = HASH.newHasher();
        for (PseudoPath path : paths) {
            put(path, hasher);
            // No name has a NUL.
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
