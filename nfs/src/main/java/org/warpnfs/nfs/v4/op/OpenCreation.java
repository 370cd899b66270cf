package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** How an OPEN creates its file. */
final class OpenCreation {
    private OpenCreation() {}

    /** Creates the file, or finds one that exists, if the arguments permit that. */
    static Created create(CallContext call, OpenArguments arguments, Location directory, FileName name)
            throws Nfs4Exception, FsException {
        if (call.admissions().isReadOnly(directory)) {
            return existing(call, arguments, directory, name);
        }
        CreateMode mode = NewFileAcl.overrulesUmask(directory, arguments.update())
                ? arguments.createUnderDefaultAcl()
                : arguments.create();
        if (mode == null) {
            throw Nfs4Exception.of(Nfs4Status.SERVERFAULT);
        }
        if (mode instanceof CreateMode.Unchecked && arguments.givesSize()) {
            return createOfSize(call, directory, name, mode.attributes());
        }
        try (FileChange _ = mode instanceof CreateMode.Unchecked
                ? refuseBeforeTruncating(call, arguments, directory, name)
                : FileChange.ofNothing()) {
            return directory
                    .fileSystem()
                    .create(
                            call.admissions().callerAt(directory),
                            directory.file(),
                            name,
                            forCaller(call, mode, directory, name));
        }
    }

    /**
     * The result of a create in a read-only export, as open(2) has it: an existing file is opened, unless it would have
     * to be new or to be truncated.
     */
    private static Created existing(CallContext call, OpenArguments arguments, Location directory, FileName name)
            throws Nfs4Exception, FsException {
        try {
            FileNode there =
                    directory.fileSystem().lookup(call.admissions().callerAt(directory), directory.file(), name);
            if (!(arguments.create() instanceof CreateMode.Unchecked)) {
                throw Nfs4Exception.of(Nfs4Status.EXIST);
            }
            if (arguments.truncates()) {
                throw Nfs4Exception.of(Nfs4Status.ROFS);
            }
            return new Created(there, false);
        } catch (FsException e) {
            if (e.error() != FsError.NO_ENTRY) {
                throw e;
            }
            throw Nfs4Exception.of(Nfs4Status.ROFS);
        }
    }

    /**
     * Replaces the verifier of an exclusive create by one for this caller alone, since others may know the client's.
     */
    private static CreateMode forCaller(CallContext call, CreateMode mode, Location directory, FileName name) {
        return mode instanceof CreateMode.Exclusive(long verifier, AttributeChanges attributes)
                ? new CreateMode.Exclusive(
                        call.services()
                                .handles()
                                .exclusiveVerifier(
                                        verifier, call.admissions().callerAt(directory), directory.file(), name),
                        attributes)
                : mode;
    }

    /**
     * Creates a file with a size other than zero. If the file exists, such a size of an UNCHECKED create does not apply
     * to it; only a size of zero would (RFC 8881, section 18.16.3).
     */
    private static Created createOfSize(
            CallContext call, Location directory, FileName name, AttributeChanges attributes) throws FsException {
        FileSystem fileSystem = directory.fileSystem();
        Caller caller = call.admissions().callerAt(directory);
        try {
            return fileSystem.create(caller, directory.file(), name, new CreateMode.Guarded(attributes));
        } catch (FsException e) {
            if (e.error() != FsError.EXISTS) {
                throw e;
            }
            return fileSystem.create(
                    caller, directory.file(), name, new CreateMode.Unchecked(attributes.withSize(null)));
        }
    }

    /**
     * Checks an UNCHECKED create that may truncate an existing file. It is refused if the caller may not open the file,
     * if the share modes of its opens deny it, or while others have delegations of it.
     */
    private static FileChange refuseBeforeTruncating(
            CallContext call, OpenArguments arguments, Location directory, FileName name)
            throws Nfs4Exception, FsException {
        if (!arguments.truncates()) {
            return FileChange.ofNothing();
        }
        try {
            Location file = Lookup.find(call, directory, name);
            OpenRules.requirePermitted(arguments, file, call.admissions().callerAt(file));
            // A caller that truncates a file writes to it, whatever it is opened for.
            int access = arguments.access() | OpenRequest.WRITE;
            call.services()
                    .state()
                    .opens()
                    .prepareOpen(
                            call.nowNanos(), arguments.request(call.calling().client(), file, access));
            return FileChange.of(call, file);
        } catch (FsException e) {
            if (e.error() != FsError.NO_ENTRY) {
                throw e;
            }
            return FileChange.ofNothing();
        }
    }

    /**
     * The attributes that were set. For an exclusive create this includes the times, which may hold the verifier, so
     * that the client sets them once it has its file.
     */
    static BitSet attributesSet(OpenArguments arguments, boolean isNew) {
        BitSet set = new BitSet();
        if (isNew || arguments.exclusive()) {
            set.or(arguments.update().named());
        } else if (arguments.truncates()) {
            set.set(Attributes.SIZE);
        }
        if (arguments.exclusive()) {
            set.set(Attributes.TIME_ACCESS);
            set.set(Attributes.TIME_MODIFY);
        }
        return set;
    }
}
