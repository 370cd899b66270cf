package org.warpnfs.nfs.v3;

import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileSystem.EntryVisitor;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Location;

/**
 * The entries of a reply to READDIR or READDIRPLUS, as many as fit (RFC 1813, section 3.3.16, §3.3.17).
 *
 * <p>{@code .} and {@code ..} come first, with the cookies 1 and 2. All other cookies are the backend's, and stay valid
 * while the directory changes. So the cookie verifier is not needed: it is 0, and the one from the client is ignored.
 *
 * <pre>
 * entry3                                entryplus3
 *   4  another entry follows              4  another entry follows
 *   8  fileid                             8  fileid
 *   4  length of name                     4  length of name
 *   n  name, padded                       n  name, padded
 *   8  cookie                             8  cookie
 *                                      4/88  name_attributes
 *                                       4+h  name_handle
 * </pre>
 */
final class DirectoryListing {
    static final long COOKIE_VERIFIER = 0;
    private static final long SELF_COOKIE = 1;
    private static final long PARENT_COOKIE = 2;
    private static final byte[] SELF_NAME = {'.'};
    private static final byte[] PARENT_NAME = {'.', '.'};
    /** fileid, length of name, cookie. */
    private static final int INFORMATION_BYTES = 8 + 4 + 8;
    /** Bytes of the reply besides attributes and entries: the verifier, no further entry, eof. */
    private static final int FRAME_BYTES = 8 + 4 + 4;
    /** Size of an entry3 and of an entryplus3 of a usual name, until one has been taken. */
    private static final int USUAL_ENTRY_BYTES = 40;

    private static final int USUAL_PLUS_BYTES = 180;

    private final Nfs3Call call;
    private final Nfs3File directory;
    private final boolean plus;
    private final boolean crossing;
    private final List<Entry> entries = new ArrayList<>();
    private final FileChanges.Elsewhere elsewhere;
    private int lastEntryBytes;
    private long replyBytesLeft;
    private long informationBytesLeft;
    private boolean eof;

    /**
     * Makes an empty listing.
     *
     * @param attributes of the directory, as the reply will contain them
     * @param replyBytes limit of READDIR3resok or READDIRPLUS3resok
     * @param informationBytes limit of the fileids, names and cookies among them, which the first entry may exceed
     */
    DirectoryListing(
            Nfs3Call call,
            Nfs3File directory,
            PostOpAttr attributes,
            boolean plus,
            long replyBytes,
            long informationBytes) {
        this.call = call;
        this.directory = directory;
        this.plus = plus;
        this.crossing = call.hasMounts(directory);
        this.elsewhere = call.askForListing();
        this.replyBytesLeft =
                Math.min(replyBytes, call.options().maxDirectoryBytes()) - attributes.encodedBytes() - FRAME_BYTES;
        this.informationBytesLeft = informationBytes;
        this.lastEntryBytes = plus ? USUAL_PLUS_BYTES : USUAL_ENTRY_BYTES;
    }

    /** Adds the entries after {@code cookie}; TOOSMALL if there are any and not even one fits. */
    void fill(long cookie, boolean withNodes) throws FsException, Nfs3Exception {
        boolean fits = takeDots(cookie, withNodes);
        long from = cookie == SELF_COOKIE || cookie == PARENT_COOKIE ? 0 : cookie;
        // The backend is called even if nothing fits any more: it decides whether the caller may list the directory.
        EntryVisitor visitor = fits ? new Taking() : _ -> false;
        FileSystem files = directory.fileSystem();
        boolean ended = withNodes
                ? files.list(directory.caller(), directory.handle(), from, Fattr3.NEEDED, visitor)
                : files.list(directory.caller(), directory.handle(), from, false, visitor);
        eof = fits && ended;
        if (entries.isEmpty() && !eof) {
            throw new Nfs3Exception(Nfs3Status.TOOSMALL);
        }
    }

    private boolean takeDots(long cookie, boolean withNodes) throws FsException {
        boolean fits = true;
        if (cookie == 0) {
            FileNode self = new FileNode(directory.handle(), directory.attributes());
            fits = take(SELF_NAME, SELF_COOKIE, self.attributes().fileId(), withNodes ? self : null);
        }
        if (fits && (cookie == 0 || cookie == SELF_COOKIE)) {
            FileNode parent = parentIfAny();
            fits = parent == null
                    ? take(PARENT_NAME, PARENT_COOKIE, directory.attributes().fileId(), null)
                    : take(PARENT_NAME, PARENT_COOKIE, parent.attributes().fileId(), withNodes ? parent : null);
        }
        return fits;
    }

    /**
     * The parent, or null if none belongs to the export or it is the root of another one. The directory can be listed
     * without it.
     */
    private @Nullable FileNode parentIfAny() throws FsException {
        try {
            // Looked up as the server: the caller may be allowed to list the directory and not to search it. The caller
            // then learns no more than a number.
            FileNode parent = directory.parentWithinExport(Caller.ROOT);
            return call.mountedAs(directory, parent.handle()) == null ? parent : null;
        } catch (FsException e) {
            if (e.error() == FsError.STALE || e.error() == FsError.NO_ENTRY || e.error() == FsError.ACCESS) {
                return null;
            }
            throw e;
        }
    }

    private boolean take(DirectoryEntry entry) {
        if (entry.error() == FsError.NO_ENTRY) {
            // The file was removed after its name was read.
            return true;
        }
        FileNode node = entry.node();
        // If another export is mounted on the name, the client has to look the name up to get into it.
        boolean isMount = node != null
                && ((crossing && call.mountedAt(directory, new Filename3.Proper(entry.name())) != null)
                        || call.mountedAs(directory, node.handle()) != null);
        return take(entry.name().toBytes(), entry.cookie(), entry.fileId(), isMount ? null : node);
    }

    private boolean take(byte[] name, long cookie, long fileId, @Nullable FileNode node) {
        Entry entry = new Entry(name, cookie, fileId, plus ? attributesOf(node) : null, plus ? handleOf(node) : null);
        int informationBytes = INFORMATION_BYTES + Filename3.padded(name.length);
        int replyBytes = Integer.BYTES + informationBytes + (plus ? entry.plusBytes() : 0);
        // The limit of information is a hint. With no entry at all the client would not get on.
        boolean isInformative = informationBytes <= informationBytesLeft || entries.isEmpty();
        if (!isInformative || replyBytes > replyBytesLeft) {
            return false;
        }
        informationBytesLeft -= informationBytes;
        replyBytesLeft -= replyBytes;
        lastEntryBytes = replyBytes;
        entries.add(entry);
        return true;
    }

    /**
     * The attributes of an entry. Simple clients take a file without any for an empty one, so NFSv4 clients that may
     * have changed a file are asked.
     */
    private @Nullable Fattr3 attributesOf(@Nullable FileNode node) {
        if (node == null) {
            return null;
        }
        Location file = directory.location().sibling(node.handle());
        try {
            FileAttributes latest = call.isChangedElsewhere(file) ? elsewhere.of(file) : node.attributes();
            return latest == null ? null : Fattr3.of(directory.export(), latest);
        } catch (FsException e) {
            return null;
        }
    }

    private @Nullable Nfs3Handle handleOf(@Nullable FileNode node) {
        FileHandle handle = node == null ? null : node.handle();
        return handle == null ? null : call.handleOf(directory.export(), handle);
    }

    /** dirlist3 or dirlistplus3. */
    void encode(XdrEncodingStream xdr) {
        for (Entry entry : entries) {
            xdr.xdrEncodeBoolean(true);
            entry.encode(xdr);
            if (plus) {
                entry.encodePlus(xdr);
            }
        }
        xdr.xdrEncodeBoolean(false);
        xdr.xdrEncodeBoolean(eof);
    }

    /** Takes the backend's entries. */
    private final class Taking implements EntryVisitor {
        @Override
        public boolean visit(DirectoryEntry entry) {
            return take(entry);
        }

        @Override
        public int room() {
            return (int) (replyBytesLeft / lastEntryBytes) + 1;
        }
    }

    private static final class Entry {
        private final byte[] name;
        private final long cookie;
        private final long fileId;
        private final PostOpAttr attributes;
        private final @Nullable Nfs3Handle handle;

        Entry(byte[] name, long cookie, long fileId, @Nullable Fattr3 attributes, @Nullable Nfs3Handle handle) {
            this.name = name;
            this.cookie = cookie;
            this.fileId = fileId;
            this.attributes = new PostOpAttr(attributes);
            this.handle = handle;
        }

        int plusBytes() {
            return attributes.encodedBytes() + Integer.BYTES + (handle == null ? 0 : handle.encodedBytes());
        }

        void encode(XdrEncodingStream xdr) {
            xdr.xdrEncodeLong(fileId);
            xdr.xdrEncodeDynamicOpaque(name);
            xdr.xdrEncodeLong(cookie);
        }

        void encodePlus(XdrEncodingStream xdr) {
            attributes.encode(xdr);
            xdr.xdrEncodeBoolean(handle != null);
            if (handle != null) {
                handle.encode(xdr);
            }
        }
    }
}
