package org.warpnfs.nfs.v3;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ChangeWindows;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportDenial;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.HandleViolation;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.io.ReadMemory;

/** What a procedure can access while it runs: the server's objects, for one caller. */
final class Nfs3Call {
    private final Nfs3Server server;
    private final Requester requester;
    private final boolean blind;
    private final int maxRangeBytes;
    private final ReadMemory memory = new ReadMemory();

    Nfs3Call(Nfs3Server server, Requester requester) {
        this(server, requester, 0);
    }

    /** @param maxRangeBytes the longest file range that a payload of the reply may be; 0 if it must be in memory */
    Nfs3Call(Nfs3Server server, Requester requester, int maxRangeBytes) {
        this(server, requester, false, maxRangeBytes);
    }

    private Nfs3Call(Nfs3Server server, Requester requester, boolean blind, int maxRangeBytes) {
        this.server = server;
        this.requester = requester;
        this.blind = blind;
        this.maxRangeBytes = maxRangeBytes;
    }

    /** Memory for the data that the procedure reads. */
    ReadMemory memory() {
        return memory;
    }

    /** The longest file range that the reply may have in place of data; 0 if data must be in memory. */
    int maxRangeBytes() {
        return maxRangeBytes;
    }

    /** The same call without access to files, for the reply after a defect. */
    Nfs3Call blind() {
        return new Nfs3Call(server, requester, true, 0);
    }

    Nfs3Options options() {
        return server.options();
    }

    ChangeWindows changeWindows() {
        return server.exports().changeWindows();
    }

    /**
     * The file that a handle names, if its export accepts the call. Every procedure gets its files through this method
     * or the next three.
     */
    Nfs3File file(Nfs3Handle handle) throws Nfs3Exception {
        try {
            return file(server.handles().decode(handle.toBytes()));
        } catch (HandleViolation e) {
            throw new Nfs3Exception(Nfs3Status.of(e.error()));
        }
    }

    /**
     * The file for READ, WRITE or COMMIT, whose handle may be that of a layout (RFC 8435, section 2.2).
     *
     * @param writes true if a layout must be one to write
     */
    Nfs3File dataFile(Nfs3Handle handle, boolean writes) throws Nfs3Exception {
        return Objects.requireNonNull(dataFile(handle, writes, true));
    }

    /** Does the same as {@link #dataFile} to read, without a wait; null if it would have to wait. */
    @Nullable
    Nfs3File tryDataFile(Nfs3Handle handle) throws Nfs3Exception {
        return dataFile(handle, false, false);
    }

    private @Nullable Nfs3File dataFile(Nfs3Handle handle, boolean writes, boolean mayWait) throws Nfs3Exception {
        byte[] bytes = handle.toBytes();
        if (!NfsHandles.isOfLayout(bytes) || !server.fences().isUsed()) {
            return file(handle);
        }
        try {
            Location location = server.handles().decodeOfLayout(bytes, writes, server.fences(), mayWait);
            return location == null ? null : admitted(location);
        } catch (HandleViolation e) {
            throw new Nfs3Exception(Nfs3Status.of(e.error()));
        }
    }

    /** A file, if its export accepts the call. */
    Nfs3File file(Location location) throws Nfs3Exception {
        if (location.export().traits().layoutsOnly()) {
            throw new Nfs3Exception(Nfs3Status.ACCES);
        }
        return admitted(location);
    }

    private Nfs3File admitted(Location location) throws Nfs3Exception {
        try {
            return new Nfs3File(location, location.export().admit(requester));
        } catch (ExportDenial e) {
            throw new Nfs3Exception(
                    switch (e.reason()) {
                        case HOST, FLAVOR, PROTECTION, TRANSPORT -> Nfs3Status.ACCES;
                        case PORT -> Nfs3Status.PERM;
                        case PENDING -> Nfs3Status.JUKEBOX;
                    });
        }
    }

    /**
     * The root of the export that is mounted on a name of a directory; null if there is none, or if the directory is
     * virtual.
     */
    @Nullable
    Location mountedAt(Nfs3File directory, Filename3 name) {
        return !directory.export().isPseudo() && name instanceof Filename3.Proper(FileName proper)
                ? server.exports().mountedAt(directory.location(), proper)
                : null;
    }

    /** The root of the export whose directory was found under another name than that of its mount point, or null. */
    @Nullable
    Location mountedAs(Nfs3File directory, FileHandle found) {
        return server.exports().mountedAs(directory.location().sibling(found));
    }

    /** Must be called before a name is renamed or replaced. BUSY if another export is mounted on it or below. */
    void requireMovable(Nfs3File directory, FileName name) throws FsException {
        server.exports().requireMovable(directory.caller(), directory.location(), name);
    }

    /**
     * Must be called before a name is removed. BUSY if another export is mounted on it, even if this client does not
     * get into that one.
     */
    void requireUnmounted(Nfs3File directory, FileName name) throws FsException {
        server.exports().requireUnmounted(directory.location(), name);
    }

    /** True if another export is mounted on a name of the directory. */
    boolean hasMounts(Nfs3File directory) {
        return server.exports().hasMounts(directory.location());
    }

    /**
     * Must be called before {@code file} is changed, and its result be closed after the change. A caller that reads the
     * file's attributes before and after its own change then learns of this change.
     *
     * @throws FsException TRY_LATER while a delegation that an NFSv4 client has of the file is being recalled
     */
    FileChanges.Change changing(Nfs3File file) throws FsException {
        return counted(file.identity(), server.fileChanges().begin(file.identity()));
    }

    /**
     * Does the same as {@link #changing} for a file that a {@link WatchedChange} of the same call watches. It opens no
     * window, since the call's two windows would overlap.
     */
    FileChanges.Change changingWatched(Nfs3File file) throws FsException {
        return server.fileChanges().begin(file.identity());
    }

    /** Must be called before entries of a directory are changed, as {@link #changingWatched} for a file. */
    FileChanges.Change changingEntries(FileIdentity directory) throws FsException {
        return server.fileChanges().beginInDirectory(directory);
    }

    /**
     * True if an NFSv4 client may have changes of the file in its cache. Its attributes here are then old, and a reply
     * that need not have them has none.
     */
    boolean isChangedElsewhere(Nfs3File file) {
        return isChangedElsewhere(file.location());
    }

    boolean isChangedElsewhere(Location file) {
        return server.fileChanges().isChangedElsewhere(file.identity());
    }

    /** Asks NFSv4 clients for attributes, on behalf of one listing. */
    FileChanges.Elsewhere askForListing() {
        return server.fileChanges().askForListing();
    }

    /**
     * Must be called before data or attributes of {@code file} are read for their own sake.
     *
     * @throws FsException TRY_LATER while a delegation that an NFSv4 client has of the file is being recalled
     */
    void beforeReading(Nfs3File file) throws FsException {
        server.fileChanges().beforeReading(file.identity());
    }

    /** The attributes of a file of the same export as {@code near}, unless an NFSv4 client may have changed them. */
    PostOpAttr postOpAttr(Nfs3File near, FileHandle file, FileAttributes attributes) {
        return server.fileChanges().isChangedElsewhere(near.fileSystem().identity(file))
                ? PostOpAttr.ABSENT
                : near.postOpAttr(attributes);
    }

    /** Does the same as {@link #changing} for the file of that name, if there is one. */
    FileChanges.Change changingName(Nfs3File directory, FileName name) throws FsException {
        FileNode found;
        try {
            found = directory.fileSystem().lookup(directory.caller(), directory.handle(), name);
        } catch (FsException e) {
            // The procedure itself will report this error.
            return () -> {};
        }
        // Nothing else is ever delegated.
        FileIdentity file = directory.fileSystem().identity(found.handle());
        return counted(
                file,
                switch (found.attributes().type()) {
                    case REGULAR -> server.fileChanges().begin(file);
                    case DIRECTORY -> server.fileChanges().beginInDirectory(file);
                    default -> () -> {};
                });
    }

    private FileChanges.Change counted(FileIdentity file, FileChanges.Change change) {
        ChangeWindows.Window window = changeWindows().begin(file);
        return () -> {
            boolean _ = window.end();
            change.close();
        };
    }

    /** The handle that names {@code file} of {@code export}. */
    Nfs3Handle handleOf(Export export, FileHandle file) {
        return Nfs3Handle.of(server.handles().encode(new Location(export, file)));
    }

    /** A verifier for the backend, made of that of an exclusive CREATE, and different for each caller. */
    long exclusiveVerifier(long verifier, Nfs3File directory, FileName name) {
        return server.handles().exclusiveVerifier(verifier, directory.caller(), directory.handle(), name);
    }

    /** Attributes for a reply with an error, if the handle names a file. */
    PostOpAttr postOpAttr(Nfs3Handle handle) {
        if (blind) {
            return PostOpAttr.ABSENT;
        }
        try {
            Nfs3File file = file(handle);
            return isChangedElsewhere(file) ? PostOpAttr.ABSENT : file.postOpAttr();
        } catch (Nfs3Exception e) {
            return PostOpAttr.ABSENT;
        }
    }

    /** Attributes as in {@link #postOpAttr}, for a reply about a file that may have been changed. */
    WccData wccData(Nfs3Handle handle) {
        return WccData.after(postOpAttr(handle));
    }

    /** The verifier of WRITE and COMMIT for a file system. It changes when unstable data may have been lost. */
    long writeVerifier(Nfs3File file) {
        return file.fileSystem().writeVerifier() * 0x9e3779b97f4a7c15L
                ^ server.options().instanceVerifier();
    }
}
