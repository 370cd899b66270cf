package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * WRITE (RFC 1813, section 3.3.7). The data are DDP-eligible (RFC 8267, section 4).
 *
 * <p>The reply has no attributes from before the write. A client has many writes in flight at once, and would take the
 * changes of the others for changes by somebody else. Each write counts as a change for operations that read the file's
 * attributes before and after their own change ({@link WatchedChange}).
 *
 * <h2>Buffers</h2>
 *
 * The transport lends the data until the reply.
 */
final class Write implements Nfs3Procedure<Write.Args> {
    /** stable_how, by its numbers. */
    private static final List<Stability> STABLE_HOW =
            List.of(Stability.UNSTABLE, Stability.DATA_SYNC, Stability.FILE_SYNC);

    /**
     * WRITE3args.
     *
     * @param offset unsigned
     * @param count unsigned 32 bits
     */
    record Args(Nfs3Handle file, long offset, long count, Stability stable, ByteBuffer data) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        return new Args(
                Nfs3Handle.decode(xdr),
                xdr.xdrDecodeLong(),
                BoundedXdr.uint32(xdr),
                STABLE_HOW.get(BoundedXdr.ordinal(xdr, STABLE_HOW.size())),
                BoundedXdr.lentOpaque(xdr));
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File file = call.dataFile(args.file(), true);
        ByteBuffer data = args.data();
        int count = data.remaining();
        file.requireWritable();
        if (count != args.count()) {
            throw new Nfs3Exception(Nfs3Status.INVAL);
        }
        if (args.offset() < 0 || count > file.fileSystem().limits().maxFileSizeBytes() - args.offset()) {
            throw new Nfs3Exception(Nfs3Status.FBIG);
        }
        try (FileChanges.Change _ = call.changing(file);
                OpenFile open = RegularFile.openToWrite(file)) {
            // Read before the write: if data are lost after this, the client must see another verifier at its COMMIT.
            long verifier = call.writeVerifier(file);
            Stability committed = count == 0 ? Stability.FILE_SYNC : open.write(data, args.offset(), args.stable());
            WccData wcc = WccData.after(file.postOpAttrAfterWrite(open));
            return Nfs3Reply.ok(xdr -> {
                wcc.encode(xdr);
                xdr.xdrEncodeInt(count);
                xdr.xdrEncodeInt(STABLE_HOW.indexOf(committed));
                xdr.xdrEncodeLong(verifier);
            });
        }
    }

    @Override
    public boolean isRemembered() {
        return true;
    }

    /** Performing it again writes the same bytes to the same place. */
    @Override
    public boolean isRepeatable() {
        return true;
    }

    /** Covers all the data, so that a call is never taken for another that resembles it. */
    @Override
    public long checksum(Args args) {
        CRC32C crc = new CRC32C();
        crc.update(args.data().duplicate());
        return crc.getValue() << 32
                ^ Objects.hash(
                        args.file(),
                        args.offset(),
                        args.count(),
                        args.stable(),
                        args.data().remaining());
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.wccData(args.file())::encode;
    }
}
