package org.warpnfs.nfs.mount;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.Flavor;

/** The results of MOUNT's procedures. */
record MountReply(Encoder encoder) implements XdrAble {
    /** _POSIX_MAX_CANON and _POSIX_MAX_INPUT of Linux; no terminal is served. */
    private static final int MAX_TERMINAL_BYTES = 255;
    /** PATH_MAX and PIPE_BUF of Linux. */
    private static final int PATH_MAX = 4096;

    private static final int PIPE_BUF = 4096;
    private static final int PPATHCNF_WORDS = 10;

    @FunctionalInterface
    interface Encoder {
        void encode(XdrEncodingStream xdr);
    }

    /** mountres3 with mountres3_ok. */
    static MountReply mounted(byte[] handle, List<Flavor> flavors) {
        return new MountReply(xdr -> {
            xdr.xdrEncodeInt(MountStatus.OK.code());
            xdr.xdrEncodeDynamicOpaque(handle);
            xdr.xdrEncodeIntVector(flavors.stream().mapToInt(Flavor::code).toArray());
        });
    }

    /** mountres3 or fhstatus without a handle. */
    static MountReply refused(MountStatus status) {
        return new MountReply(xdr -> xdr.xdrEncodeInt(status.code()));
    }

    /** mountlist. */
    static MountReply mounts(List<MountTable.Entry> entries) {
        return new MountReply(xdr -> {
            for (MountTable.Entry entry : entries) {
                xdr.xdrEncodeBoolean(true);
                xdr.xdrEncodeDynamicOpaque(entry.client().getBytes(StandardCharsets.UTF_8));
                xdr.xdrEncodeDynamicOpaque(entry.directory().getBytes(StandardCharsets.ISO_8859_1));
            }
            xdr.xdrEncodeBoolean(false);
        });
    }

    /** exports: each path with its clients as groups. A path without groups is for everyone. */
    static MountReply exports(List<Export> all) {
        return new MountReply(xdr -> {
            for (Export export : all) {
                xdr.xdrEncodeBoolean(true);
                xdr.xdrEncodeDynamicOpaque(export.path().toString().getBytes(StandardCharsets.UTF_8));
                if (!export.policy().isOneForAll()) {
                    for (ExportRule rule : export.policy().rules()) {
                        xdr.xdrEncodeBoolean(true);
                        xdr.xdrEncodeDynamicOpaque(rule.clients().toString().getBytes(StandardCharsets.UTF_8));
                    }
                }
                xdr.xdrEncodeBoolean(false);
            }
            xdr.xdrEncodeBoolean(false);
        });
    }

    /** ppathcnf of version 2, each number as a word. The masks are 0, as in Linux's mountd. */
    static MountReply pathconf(FsLimits limits) {
        return new MountReply(xdr -> {
            xdr.xdrEncodeInt(limits.maxLinks());
            xdr.xdrEncodeInt(MAX_TERMINAL_BYTES);
            xdr.xdrEncodeInt(MAX_TERMINAL_BYTES);
            xdr.xdrEncodeInt(limits.maxNameBytes());
            xdr.xdrEncodeInt(PATH_MAX);
            xdr.xdrEncodeInt(PIPE_BUF);
            xdr.xdrEncodeInt(0); // pc_vdisable
            xdr.xdrEncodeInt(0); // pc_xxx
            xdr.xdrEncodeInt(0); // pc_mask
            xdr.xdrEncodeInt(0);
        });
    }

    /**
     * ppathcnf of a directory that does not exist or that the caller may not use. The reply has no status, so all
     * fields are 0.
     */
    static MountReply noPathconf() {
        return new MountReply(xdr -> {
            for (int i = 0; i < PPATHCNF_WORDS; i++) {
                xdr.xdrEncodeInt(0);
            }
        });
    }

    @Override
    public void xdrEncode(XdrEncodingStream xdr) {
        encoder.encode(xdr);
    }

    @Override
    public void xdrDecode(XdrDecodingStream xdr) {
        throw new UnsupportedOperationException("a server does not read replies");
    }
}
