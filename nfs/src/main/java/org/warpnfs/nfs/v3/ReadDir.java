package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.util.EnumSet;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.xdr.BoundedXdr;

/** READDIR and READDIRPLUS (RFC 1813, section 3.3.16, §3.3.17). */
enum ReadDir implements Nfs3Procedure<ReadDir.Args> {
    PLAIN,
    PLUS;

    /**
     * READDIR3args or READDIRPLUS3args.
     *
     * @param cookie 0 for the start
     * @param informationBytes dircount; READDIR has no such limit
     * @param replyBytes count, maxcount
     */
    record Args(Nfs3Handle directory, long cookie, long informationBytes, long replyBytes) {}

    @Override
    public Args decode(XdrDecodingStream xdr) throws IOException {
        Nfs3Handle directory = Nfs3Handle.decode(xdr);
        long cookie = xdr.xdrDecodeLong();
        long unusedVerifier = xdr.xdrDecodeLong();
        long informationBytes = this == PLUS ? BoundedXdr.uint32(xdr) : Long.MAX_VALUE;
        return new Args(directory, cookie, informationBytes, BoundedXdr.uint32(xdr));
    }

    @Override
    public Nfs3Reply run(Nfs3Call call, Args args) throws FsException, Nfs3Exception {
        Nfs3File directory = call.file(args.directory());
        if (this == PLUS && !directory.export().traits().readDirPlus()) {
            throw new Nfs3Exception(Nfs3Status.NOTSUPP);
        }
        PostOpAttr attributes = directory.postOpAttr();
        DirectoryListing listing = new DirectoryListing(
                call, directory, attributes, this == PLUS, args.replyBytes(), args.informationBytes());
        listing.fill(args.cookie(), this == PLUS && maySearch(directory));
        return Nfs3Reply.ok(xdr -> {
            attributes.encode(xdr);
            xdr.xdrEncodeLong(DirectoryListing.COOKIE_VERIFIER);
            listing.encode(xdr);
        });
    }

    /** Whether the caller may search the directory. Only then the listing has attributes and handles of its files. */
    private static boolean maySearch(Nfs3File directory) throws FsException {
        return directory
                .fileSystem()
                .permissions(directory.caller(), directory.handle(), EnumSet.of(Permission.EXECUTE))
                .contains(Permission.EXECUTE);
    }

    @Override
    public Nfs3Reply.Body failed(Nfs3Call call, Args args) {
        return call.postOpAttr(args.directory())::encode;
    }
}
