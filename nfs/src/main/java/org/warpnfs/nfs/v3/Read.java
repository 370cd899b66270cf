package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.xdr.BoundedXdr;
import org.warpnfs.nfs.xdr.PayloadXdr;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.Source;

/**
 * READ (RFC 1813, section 3.3.6). The data are DDP-eligible (RFC 8267, section 4).
 *
 * <p>A Linux client that offered a Write chunk relies on the size of what precedes the data. So every reply that is
 * NFS3_OK has post-op attributes. An offset beyond the longest possible file counts as beyond the end and is no error:
 * some clients repeat a READ that was answered with INVAL for ever.
 *
 * <h2>Buffers</h2>
 *
 * The data go from the pool through the backend into the reply, which then owns them.
 */
final class Read implements Nfs3Procedure<Read.Args> {
    /**
     * READ3args.
     *
     * @param offset unsigned
     * @param count unsigned 32 bits
     */
    record Args(Nfs3Handle file, long offset, long count) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(Nfs3Handle.decode(xdr), xdr.xdrDecodeLong(), BoundedXdr.uint32(xdr));
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.file(args.file());
        try (OpenFile open = RegularFile.openToRead(file)) {
            Payload memory = call.memory().take(payloadBytes(args, call.options()));
            if (memory == null) {
                throw new Nfs3Exception(Nfs3Status.JUKEBOX);
            }
            FileData data = FileData.read(open, args.offset(), memory, call.maxRangeBytes());
            return Nfs3Reply.ok(new Data(file.postOpAttr(data.after()), data.isEnd(), data.payload()));
        }
    }

    @Override
    public int payloadBytes(Args args, Nfs3Options options) {
        return FileData.memoryBytes(args.offset(), args.count(), options.maxTransferBytes());
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.postOpAttr(args.file())::encode;
    }

    /** READ3resok. */
    private static final class Data implements Nfs3Reply.Body {
        private final PostOpAttr attributes;
        private final boolean eof;
        private final Source payload;
        private boolean owned = true;

        Data(PostOpAttr attributes, boolean eof, Source payload) {
            this.attributes = attributes;
            this.eof = eof;
            this.payload = payload;
        }

        @Override
        public void encode(XdrEncodingStream xdr) {
            attributes.encode(xdr);
            xdr.xdrEncodeInt(payload.lengthBytes());
            xdr.xdrEncodeBoolean(eof);
            owned = false;
            PayloadXdr.encode(xdr, payload);
        }

        @Override
        public void close() {
            if (owned) {
                owned = false;
                payload.release();
            }
        }
    }
}
