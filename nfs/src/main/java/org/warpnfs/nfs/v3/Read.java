package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.io.Lanes;
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
 * The data go from the pool through the backend into the reply, which then owns them, or are a range of the file.
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
        Nfs3File file = call.dataFile(args.file(), false);
        call.beforeReading(file);
        try (OpenFile open = RegularFile.openToRead(file)) {
            Payload memory = call.memory().take(payloadBytes(args, call.options()));
            if (memory == null) {
                throw new Nfs3Exception(Nfs3Status.JUKEBOX);
            }
            PostOpAttr before = file.postOpAttr(open);
            return reply(before, FileData.read(open, args.offset(), memory));
        }
    }

    @Override
    public @Nullable Nfs3Reply runWithoutMemory(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        int asked = payloadBytes(args, call.options());
        if (asked == 0) {
            return null;
        }
        Nfs3File file = call.dataFile(args.file(), false);
        if (!mayBeInPlace(call, file, asked)) {
            return null;
        }
        call.beforeReading(file);
        try (OpenFile open = RegularFile.openToRead(file)) {
            PostOpAttr before = file.postOpAttr(open);
            FileData data = FileData.inPlace(open, args.offset(), asked, call.maxRangeBytes());
            return data == null ? null : reply(before, data);
        }
    }

    @Override
    public @Nullable Nfs3Reply tryRun(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        int asked = payloadBytes(args, call.options());
        boolean copies = Lanes.mayCopyOnEventLoop(asked);
        Nfs3File file = call.tryDataFile(args.file());
        if (file == null || call.isChangedElsewhere(file) || (!copies && !mayBeInPlace(call, file, asked))) {
            return null;
        }
        try (OpenFile open = RegularFile.tryOpenToRead(file)) {
            if (open == null) {
                return null;
            }
            if (copies) {
                return tryCopy(call, args, asked, file, open);
            }
            PostOpAttr before = file.postOpAttr(open);
            FileData data = FileData.tryInPlace(open, args.offset(), asked, call.maxRangeBytes());
            return data == null ? null : reply(before, data);
        }
    }

    private static boolean mayBeInPlace(Nfs3Call call, Nfs3File file, int asked) throws FsException {
        return FileData.mayBeInPlace(
                asked, call.maxRangeBytes(), file.fileSystem().limits());
    }

    /** Reads into payload memory without a wait, or gives the memory back. */
    private static @Nullable Nfs3Reply tryCopy(Nfs3Call call, Args args, int asked, Nfs3File file, OpenFile open)
            throws FsException {
        Payload memory = call.memory().take(asked);
        if (memory == null) {
            return null;
        }
        Nfs3Reply reply = null;
        try {
            PostOpAttr before = file.postOpAttr(open);
            FileData data = FileData.tryRead(open, args.offset(), memory);
            reply = data == null ? null : reply(before, data);
        } finally {
            if (reply == null) {
                call.memory().give(memory);
            }
        }
        return reply;
    }

    /**
     * @param before the attributes from before the data were read. So a change in between is seen as a change by the
     *     next attributes that the client gets, and it does not keep old data as those of the new attributes
     */
    private static Nfs3Reply reply(PostOpAttr before, FileData data) {
        return Nfs3Reply.ok(new Data(before, data.isEnd(), data.payload()));
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
