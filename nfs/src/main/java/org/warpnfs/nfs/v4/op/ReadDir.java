package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * READDIR (RFC 8881, section 18.23).
 *
 * <pre>
 *   nfs_cookie4 cookie         0 for the start; 1 and 2 are never given out
 *   verifier4   cookieverf     0: cookies stay valid while the directory changes
 *   count4      dircount       a hint at how many bytes of names and cookies are wanted
 *   count4      maxcount       bytes of the whole READDIR4resok
 *   bitmap4     attr_request
 * </pre>
 *
 * <p>Every name is listed. The attributes of a file may be unavailable, as in a directory that the caller may read but
 * not search, or where something else is mounted. Its entry then has what the directory itself contains: file id and
 * type, and rdattr_error if it was asked for. knfsd returns rdattr_error alone, and fails the listing if it was not
 * asked for. A client that gets no entry takes the file for removed.
 */
final class ReadDir implements Operation {
    private static final int FIRST_COOKIE = 3;
    /** Length of the verifier, the end of the list, and eof. */
    private static final int FRAME_BYTES = 16;
    /** Length of the end of the list, and eof. */
    private static final int END_BYTES = 8;
    /** Size of an entry of a usual name with what the directory knows, until an entry has been taken. */
    private static final int USUAL_ENTRY_BYTES = 60;
    /** The same with further attributes. */
    private static final int USUAL_PLUS_BYTES = 240;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        long cookie = in.int64();
        in.int64();
        long dirCount = in.uint32();
        long maxCount = in.uint32();
        BitSet asked = Bitmap.decode(in);
        Location directory = call.files().current();
        Attributes.requireReadable(asked, call.minorVersion());
        Names.requireDirectory(directory);
        if (cookie != 0 && Long.compareUnsigned(cookie, FIRST_COOKIE) < 0) {
            throw Nfs4Exception.of(Nfs4Status.BAD_COOKIE);
        }
        if (maxCount < FRAME_BYTES) {
            throw Nfs4Exception.of(Nfs4Status.TOOSMALL);
        }
        int most = call.maxListBytes(maxCount, FRAME_BYTES, out);
        int start = out.position();
        out.int64(0);
        Listing listing = new Listing(call, directory, asked, out, start + most - END_BYTES, dirCount);
        boolean withNodes = listing.crossing || !Attributes.areKnownToDirectory(asked);
        Caller caller = call.admissions().callerAt(directory);
        FileSystem files = directory.fileSystem();
        boolean end = withNodes
                ? files.list(caller, directory.file(), cookie, Attributes.needed(asked), listing)
                : files.list(caller, directory.file(), cookie, false, listing);
        listing.rethrow();
        if (!end && listing.taken == 0) {
            out.truncate(start);
            throw call.tooSmall(maxCount, most, out);
        }
        out.bool(false);
        out.bool(end);
    }

    /** Encodes entries up to the requested size. */
    private static final class Listing implements FileSystem.EntryVisitor {
        private final CallContext call;
        private final Location directory;
        private final BitSet asked;
        private final CompoundWriter out;
        private final int limit;
        /** True if exports are mounted in the directory. They are shown in place of their mount points. */
        private final boolean crossing;

        private final ListedAttributes elsewhere;
        private long dirBytesLeft;
        private int taken;
        private int lastEntryBytes;
        private @Nullable FsException fault;
        private @Nullable Nfs4Exception refusal;

        Listing(CallContext call, Location directory, BitSet asked, CompoundWriter out, int limit, long dirCount) {
            this.call = call;
            this.directory = directory;
            this.asked = asked;
            this.out = out;
            this.limit = limit;
            this.elsewhere = new ListedAttributes(call.services());
            this.crossing = call.services().exports().hasMounts(directory);
            this.lastEntryBytes = Attributes.areKnownToDirectory(asked) ? USUAL_ENTRY_BYTES : USUAL_PLUS_BYTES;
            this.dirBytesLeft = dirCount == 0 ? Long.MAX_VALUE : dirCount;
        }

        @Override
        public boolean visit(DirectoryEntry entry) {
            if (entry.error() == FsError.NO_ENTRY) {
                // The file was removed after its name was read.
                return true;
            }
            int start = out.position();
            int dirBytes = 12 + CompoundWriter.roundUp(entry.name().lengthBytes());
            out.bool(true);
            out.int64(entry.cookie());
            out.opaque(entry.name().toBytes());
            try {
                if (!encodeAttributes(entry)) {
                    out.truncate(start);
                    return true;
                }
            } catch (FsException e) {
                fault = e;
                out.truncate(start);
                return false;
            } catch (Nfs4Exception e) {
                refusal = e;
                out.truncate(start);
                return false;
            }
            boolean fits = out.position() <= limit && (taken == 0 || dirBytes <= dirBytesLeft);
            if (!fits) {
                out.truncate(start);
                return false;
            }
            dirBytesLeft -= dirBytes;
            lastEntryBytes = out.position() - start;
            taken++;
            return true;
        }

        @Override
        public int room() {
            return (limit - out.position()) / lastEntryBytes + 1;
        }

        /**
         * Encodes the attributes of an entry. Returns false if the entry is not shown: an export in a virtual directory
         * that is not served to the caller's host.
         */
        private boolean encodeAttributes(DirectoryEntry entry) throws FsException, Nfs4Exception {
            Location mounted = mountedOn(entry);
            if (mounted != null && !call.admissions().isShown(mounted)) {
                if (directory.export().isPseudo()) {
                    return false;
                }
                encodeKnown(entry, FsError.ACCESS);
                return true;
            }
            Nfs4Status refused = mounted == null || mounted.isAbsent() ? Nfs4Status.OK : admit(mounted);
            if (refused != Nfs4Status.OK) {
                Attributes.encodeKnown(asked, refused, entry.type(), entry.fileId(), out);
                return true;
            }
            FileNode node = entry.node();
            int start = out.position();
            try {
                if (mounted != null && mounted.isAbsent()) {
                    Attributes.encodeAbsent(asked, call.source(mounted, attributesOf(mounted), entry.fileId()), out);
                } else if (mounted != null) {
                    encode(mounted, attributesOf(mounted), entry);
                } else if (node != null) {
                    Location file = directory.sibling(node.handle());
                    encode(file, latest(file, node.attributes()), entry);
                } else {
                    encodeKnown(entry, entry.error());
                }
            } catch (FsException e) {
                if (!asked.get(Attributes.RDATTR_ERROR)) {
                    throw e;
                }
                out.truncate(start);
                encodeKnown(entry, e.error());
            }
            return true;
        }

        private @Nullable Location mountedOn(DirectoryEntry entry) {
            ExportTable exports = call.services().exports();
            Location mounted = crossing ? exports.mountedAt(directory, entry.name()) : null;
            FileNode node = entry.node();
            return mounted != null || node == null ? mounted : exports.mountedAs(directory.sibling(node.handle()));
        }

        private FileAttributes attributesOf(Location mounted) throws FsException {
            return mounted.attributes(Attributes.needed(asked));
        }

        /** OK, or why the caller gets no attributes of that export: WRONGSEC for one with another security flavor. */
        private Nfs4Status admit(Location mounted) throws Nfs4Exception {
            try {
                call.admissions().admit(mounted);
                return Nfs4Status.OK;
            } catch (Nfs4Exception e) {
                if (e.status() == Nfs4Status.DELAY) {
                    throw e;
                }
                return e.status();
            }
        }

        /**
         * The attributes of a file, which another client may have changed in its cache. If that client does not tell
         * them in time, the caller gets the reason in place of the attributes, and asks for those it needs. A caller
         * that cannot be told the reason waits for the delegation's return.
         */
        private FileAttributes latest(Location file, FileAttributes known) throws FsException, Nfs4Exception {
            if (!LatestAttributes.mayBeElsewhere(call, asked, file) || LatestAttributes.isWriter(call, file)) {
                return known;
            }
            FileAttributes latest = elsewhere.of(file, LatestAttributes.asker(call, file));
            if (latest != null) {
                return latest;
            }
            if (!asked.get(Attributes.RDATTR_ERROR)) {
                LatestAttributes.requireNoWriter(call, file);
                return file.attributes();
            }
            throw FsException.of(FsError.TRY_LATER);
        }

        private void encode(Location location, FileAttributes attributes, DirectoryEntry entry) throws FsException {
            Attributes.encode(asked, call.source(location, attributes, entry.fileId()), out);
        }

        private void encodeKnown(DirectoryEntry entry, @Nullable FsError error) {
            Attributes.encodeKnown(
                    asked, error == null ? Nfs4Status.OK : Statuses.of(error), entry.type(), entry.fileId(), out);
        }

        void rethrow() throws FsException, Nfs4Exception {
            if (refusal != null) {
                throw refusal;
            }
            if (fault != null) {
                throw fault;
            }
        }
    }
}
