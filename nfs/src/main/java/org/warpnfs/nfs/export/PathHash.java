package org.warpnfs.nfs.export;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
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
        for (FileName name : path.components()) {
            hasher.putByte((byte) '/').putBytes(name.toBytes());
        }
        return hasher.hash().asLong();
    }
}
