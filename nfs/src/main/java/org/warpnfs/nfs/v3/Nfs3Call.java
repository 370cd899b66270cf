package org.warpnfs.nfs.v3;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ChangeWindows;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportDenial;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.HandleViolation;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.io.ReadMemory;

/** What a procedure can reach while it runs: the server, seen by one caller. */
final class Nfs3Call {
    private final Nfs3Server server;
    private final Requester requester;
    private final boolean blind;
    private final ReadMemory memory = new ReadMemory();

    Nfs3Call(Nfs3Server server, Requester requester) {
        this(server, requester, false);
    }

    private Nfs3Call(Nfs3Server server, Requester requester, boolean blind) {
        this.server = server;
        this.requester = requester;
        this.blind = blind;
    }

    /** Memory for the data that the procedure reads. */
    ReadMemory memory() {
        return memory;
    }

    /** The same call, which looks at no file any more: for the reply after a bug. */
    Nfs3Call blind() {
        return new Nfs3Call(server, requester, true);
    }

    Nfs3Options options() {
        return server.options();
    }

    ChangeWindows changeWindows() {
        return server.exports().changeWindows();
    }

    /** The file that a handle names, if its export takes the call. Every procedure comes to every file through here. */
    Nfs3File file(Nfs3Handle handle) throws Nfs3Exception {
        try {
            return file(server.handles().decode(handle.toBytes()));
        } catch (HandleViolation e) {
            throw new Nfs3Exception(Nfs3Status.of(e.error()));
        }
    }

    /** A file, if its export takes the call. */
    Nfs3File file(Location location) throws Nfs3Exception {
        try {
            return new Nfs3File(location, location.export().admit(requester));
        } catch (ExportDenial e) {
            throw new Nfs3Exception(
                    switch (e.reason()) {
                        case HOST, FLAVOR -> Nfs3Status.ACCES;
                        case PORT -> Nfs3Status.PERM;
                        case PENDING -> Nfs3Status.JUKEBOX;
                    });
        }
    }

    /** The root of the export that stands on a name of a real directory; null if none does. */
    @Nullable
    Location mountedAt(Nfs3File directory, Filename3 name) {
        return !directory.export().isPseudo() && name instanceof Filename3.Proper(FileName proper)
                ? server.exports().mountedAt(directory.location(), proper)
                : null;
    }

    /**
     * Before a name is removed, renamed or replaced: BUSY if another export stands on it, whether this client is led
     * there or not.
     */
    void requireUnmounted(Nfs3File directory, FileName name) throws FsException {
        server.exports().requireUnmounted(directory.location(), name);
    }

    /** True if another export stands on some name of the directory. */
    boolean hasMounts(Nfs3File directory) {
        return server.exports().hasMounts(directory.location());
    }

    /**
     * Before {@code file} is changed; open until it has been. Whoever looks at the file before and after a change of
     * its own knows of this one.
     *
     * @throws FsException TRY_LATER while an NFSv4 client that has the file delegated is asked to give it back
     */
    FileChanges.Change changing(Nfs3File file) throws FsException {
        return counted(file.identity(), server.fileChanges().begin(file.identity()));
    }

    /**
     * As {@link #changing}, of a file that a {@link WatchedChange} of the same call looks at: two windows would see
     * each other.
     */
    FileChanges.Change changingWatched(Nfs3File file) throws FsException {
        return server.fileChanges().begin(file.identity());
    }

    /** As {@link #changing}, of the file by that name, if there is one. */
    FileChanges.Change changingName(Nfs3File directory, FileName name) throws FsException {
        FileNode found;
        try {
            found = directory.fileSystem().lookup(directory.caller(), directory.handle(), name);
        } catch (FsException e) {
            // Whatever it is, the procedure itself will say it.
            return () -> {};
        }
        // Nothing but regular files is ever delegated.
        FileIdentity file = directory.fileSystem().identity(found.handle());
        return counted(
                file,
                found.attributes().type() == FileType.REGULAR
                        ? server.fileChanges().begin(file)
                        : () -> {});
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

    /** What stands for the verifier of an exclusive CREATE, for this caller alone. */
    long exclusiveVerifier(long verifier, Nfs3File directory, FileName name) {
        return server.handles().exclusiveVerifier(verifier, directory.caller(), directory.handle(), name);
    }

    /** Attributes for a reply that says no: of whatever the handle names, if anything. */
    PostOpAttr postOpAttr(Nfs3Handle handle) {
        if (blind) {
            return PostOpAttr.ABSENT;
        }
        try {
            return file(handle).postOpAttr();
        } catch (Nfs3Exception e) {
            return PostOpAttr.ABSENT;
        }
    }

    /** As {@link #postOpAttr}, for a reply that says what may have changed. */
    WccData wccData(Nfs3Handle handle) {
        return WccData.after(postOpAttr(handle));
    }

    /** The verifier of WRITE and COMMIT for a file system: changes when unstable data may have been lost. */
    long writeVerifier(Nfs3File file) {
        return file.fileSystem().writeVerifier() * 0x9e3779b97f4a7c15L
                ^ server.options().instanceVerifier();
    }
}
