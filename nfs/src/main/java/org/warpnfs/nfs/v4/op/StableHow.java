package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** stable_how4 (RFC 8881, section 18.32.2): UNSTABLE4 0, DATA_SYNC4 1, FILE_SYNC4 2. */
final class StableHow {
    private StableHow() {}

    static Stability decode(CompoundReader in) throws Nfs4Exception {
        return switch (in.int32()) {
            case 0 -> Stability.UNSTABLE;
            case 1 -> Stability.DATA_SYNC;
            case 2 -> Stability.FILE_SYNC;
            default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
        };
    }

    static void encode(Stability stability, CompoundWriter out) {
        out.int32(
                switch (stability) {
                    case UNSTABLE -> 0;
                    case DATA_SYNC -> 1;
                    case FILE_SYNC -> 2;
                });
    }
}
