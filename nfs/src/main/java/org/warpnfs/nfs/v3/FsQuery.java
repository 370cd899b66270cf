package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.FsStatistics;

/**
 * FSSTAT, FSINFO and PATHCONF (RFC 1813, section 3.3.18 to §3.3.20). Each takes a handle and returns properties of its
 * file system.
 */
enum FsQuery implements Nfs3Procedure<Nfs3Handle> {
    FSSTAT {
        @Override
        Nfs3Reply.Body facts(Nfs3Call call, Nfs3File file) throws FsException {
            FsStatistics statistics = file.fileSystem().statistics();
            return xdr -> {
                xdr.xdrEncodeLong(statistics.totalBytes());
                xdr.xdrEncodeLong(statistics.freeBytes());
                xdr.xdrEncodeLong(statistics.availableBytes());
                xdr.xdrEncodeLong(statistics.totalFiles());
                xdr.xdrEncodeLong(statistics.freeFiles());
                xdr.xdrEncodeLong(statistics.availableFiles());
                xdr.xdrEncodeInt(0); // invarsec: it may change at any time
            };
        }
    },
    FSINFO {
        @Override
        Nfs3Reply.Body facts(Nfs3Call call, Nfs3File file) {
            FsLimits limits = file.fileSystem().limits();
            Nfs3Options options = call.options();
            int preferred = limits.preferredIoBytes() == 0
                    ? options.maxTransferBytes()
                    : Math.clamp(limits.preferredIoBytes(), PAGE_BYTES, options.maxTransferBytes());
            return xdr -> {
                xdr.xdrEncodeInt(options.maxTransferBytes()); // rtmax
                xdr.xdrEncodeInt(preferred); // rtpref
                xdr.xdrEncodeInt(PAGE_BYTES); // rtmult
                xdr.xdrEncodeInt(options.maxTransferBytes()); // wtmax
                xdr.xdrEncodeInt(preferred); // wtpref
                xdr.xdrEncodeInt(PAGE_BYTES); // wtmult
                xdr.xdrEncodeInt(options.preferredDirectoryBytes());
                xdr.xdrEncodeLong(limits.maxFileSizeBytes());
                xdr.xdrEncodeInt(limits.timeGranularityNanos() / NANOS_PER_SECOND); // time_delta
                xdr.xdrEncodeInt(limits.timeGranularityNanos() % NANOS_PER_SECOND);
                xdr.xdrEncodeInt(properties(limits));
            };
        }
    },
    PATHCONF {
        @Override
        Nfs3Reply.Body facts(Nfs3Call call, Nfs3File file) {
            FsLimits limits = file.fileSystem().limits();
            return xdr -> {
                xdr.xdrEncodeInt(limits.maxLinks());
                xdr.xdrEncodeInt(limits.maxNameBytes());
                xdr.xdrEncodeBoolean(true); // no_trunc: longer names are refused
                xdr.xdrEncodeBoolean(!limits.has(Capability.CHOWN_BY_OWNER));
                xdr.xdrEncodeBoolean(limits.has(Capability.CASE_INSENSITIVE));
                xdr.xdrEncodeBoolean(!limits.has(Capability.CASE_FOLDING));
            };
        }
    };

    private static final int PAGE_BYTES = 4096;
    private static final int NANOS_PER_SECOND = 1_000_000_000;
    private static final int FSF_LINK = 0x01;
    private static final int FSF_SYMLINK = 0x02;
    private static final int FSF_HOMOGENEOUS = 0x08;
    private static final int FSF_CANSETTIME = 0x10;

    abstract Nfs3Reply.Body facts(Nfs3Call call, Nfs3File file) throws FsException;

    private static int properties(FsLimits limits) {
        return FSF_HOMOGENEOUS
                | (limits.has(Capability.WRITE) ? FSF_CANSETTIME : 0)
                | (limits.has(Capability.HARD_LINKS) ? FSF_LINK : 0)
                | (limits.has(Capability.SYMLINKS) ? FSF_SYMLINK : 0);
    }

    @Override
    public Nfs3Handle decode(XdrDecodingStream xdr) throws IOException {
        return Nfs3Handle.decode(xdr);
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Nfs3Handle handle) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(handle);
        PostOpAttr attributes = file.postOpAttr(file.attributes());
        Nfs3Reply.Body facts = facts(call, file);
        return Nfs3Reply.ok(xdr -> {
            attributes.encode(xdr);
            facts.encode(xdr);
        });
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Nfs3Handle handle) {
        return call.postOpAttr(handle)::encode;
    }
}
