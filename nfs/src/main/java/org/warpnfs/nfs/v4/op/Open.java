package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.state.DelegationStates;
import org.warpnfs.nfs.v4.state.OpenStates;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.DelegationGrant;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.OpenPermit;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.OpenedFile;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * OPEN (RFC 8881, section 18.16). A client that can be called back gets a read delegation if it opens a file for
 * reading that nobody writes to, and a write delegation if it opens a file for writing that nobody else uses.
 * PRESERVE_UNLINKED is not promised: a file without a name does not survive a restart of the server.
 */
final class Open implements ChangingOperation {
    private static final int RESULT_LOCKTYPE_POSIX = 4;
    private static final int MAY_NOTIFY_LOCK = 32;
    private static final int RESULT_CONFIRM = 2;
    /** OPEN4_RESULT_NO_OPEN_STATEID (RFC 9754, section 4). */
    private static final int NO_OPEN_STATEID = 16;

    private static final int DELEGATE_NONE = 0;
    private static final int DELEGATE_NONE_EXT = 3;
    private static final int NFS_LIMIT_SIZE = 1;
    private static final int ACE_ALLOWED = 0;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        try {
            open(call, in, out);
        } catch (FsException e) {
            if (e.error() == FsError.WRONG_TYPE) {
                throw Nfs4Exception.of(Nfs4Status.SYMLINK);
            }
            throw e;
        }
    }

    private static void open(CallContext call, CompoundReader in, CompoundWriter out)
            throws Nfs4Exception, FsException {
        OpenArguments.Head head = OpenArguments.Head.decode(in);
        Location base = call.files().current();
        Client client = call.calling().clientById(head.clientId());
        boolean repeats = call.minorVersion() == 0
                && OwnerSequence.repeats(
                        call, call.services().state().owners().beginOpen(client, head.owner(), head.seqid()), out);
        OpenArguments arguments = OpenArguments.decode(
                head, in, call.minorVersion(), base.fileSystem().limits(), call.owners());
        if (repeats) {
            return;
        }
        switch (arguments.claim()) {
            case OpenArguments.CLAIM_NULL, OpenArguments.CLAIM_DELEGATE_CUR -> byName(call, arguments, base, out);
            case OpenArguments.CLAIM_FH, OpenArguments.CLAIM_PREVIOUS, OpenArguments.CLAIM_DELEG_CUR_FH ->
                byHandle(call, arguments, base, out);
            default -> throw Nfs4Exception.of(Nfs4Status.NOTSUPP);
        }
    }

    private static void byHandle(CallContext call, OpenArguments arguments, Location file, CompoundWriter out)
            throws Nfs4Exception, FsException {
        if (arguments.create() != null) {
            // The file exists, since there is a handle of it.
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        OpenedFile opened = open(call, arguments, file, false, null);
        call.files().setCurrentStateid(opened.current());
        opened.encoded().encode(out);
        // No directory was changed.
        out.bool(true);
        out.int64(0);
        out.int64(0);
        encodeRest(call, arguments, file, new BitSet(), opened, out);
    }

    private static void byName(CallContext call, OpenArguments arguments, Location directory, CompoundWriter out)
            throws Nfs4Exception, FsException {
        FileName name = arguments.name();
        if (name == null) {
            throw Nfs4Exception.of(Nfs4Status.SERVERFAULT);
        }
        Names.requireDirectory(directory);
        if (call.services().exports().mountedAt(directory, name) != null) {
            // The root of another export, which is always a directory, whatever is underneath.
            Location _ = Lookup.find(call, directory, name);
            throw Nfs4Exception.of(
                    arguments.create() == null || arguments.create() instanceof CreateMode.Unchecked
                            ? Nfs4Status.ISDIR
                            : Nfs4Status.EXIST);
        }
        OpenStates opens = call.services().state().opens();
        if (arguments.delegation() != null || arguments.create() == null) {
            if (arguments.delegation() == null) {
                opens.checkGraceForOpen(call.nowNanos(), call.calling().client(), false);
            }
            byName(call, arguments, directory, name, null, out);
            return;
        }
        OpenPermit permit = opens.permitMaking(call.nowNanos(), call.calling().client());
        try {
            byName(call, arguments, directory, name, permit, out);
        } finally {
            opens.endPermit(permit);
        }
    }

    /** @param permit with which the call gets the open of a file that it creates; null if it needs none */
    private static void byName(
            CallContext call,
            OpenArguments arguments,
            Location directory,
            FileName name,
            @Nullable OpenPermit permit,
            CompoundWriter out)
            throws Nfs4Exception, FsException {
        try (DirectoryChange change = arguments.create() == null
                ? DirectoryChange.watch(call, directory)
                : DirectoryChange.begin(call, directory)) {
            BitSet set = new BitSet();
            boolean isNew = false;
            Location file;
            if (arguments.create() == null) {
                file = Lookup.find(call, directory, name);
            } else {
                AclChanges acls = arguments.update().aclChanges(FileType.REGULAR);
                Created created = create(call, arguments, directory, name);
                isNew = created.isNew();
                file = directory.sibling(created.node().handle());
                set = attributesSet(arguments, isNew);
                if (set.get(Attributes.ACL)) {
                    // The file belongs to the caller: this call created it, or an exclusive create that this call
                    // repeats.
                    NewFileAcl.apply(call, directory, created.node(), acls, set);
                }
            }
            OpenedFile opened = isNew
                    ? openMade(call, arguments, file, permit)
                    : open(call, arguments, file, arguments.exclusive(), null);
            opened.encoded().encode(out);
            change.encode(out);
            encodeRest(call, arguments, file, set, opened, out);
            call.files().setCurrent(file);
            call.files().setCurrentStateid(opened.current());
        }
    }

    /**
     * Opens the file that this call has created. If the client could not repeat the call, it does not answer DELAY or
     * GRACE: the name exists now, so the client would get EXIST and never learn that the file is its own.
     */
    private static OpenedFile openMade(
            CallContext call, OpenArguments arguments, Location file, @Nullable OpenPermit permit)
            throws Nfs4Exception, FsException {
        try {
            return open(call, arguments, file, true, permit);
        } catch (FsException e) {
            if (e.error() == FsError.TRY_LATER && !mayBeRepeated(call, arguments, file)) {
                throw Nfs4Exception.of(Nfs4Status.SERVERFAULT);
            }
            throw e;
        } catch (Nfs4Exception e) {
            boolean isForLater = e.status() == Nfs4Status.DELAY || e.status() == Nfs4Status.GRACE;
            if (isForLater && !mayBeRepeated(call, arguments, file)) {
                throw Nfs4Exception.of(Nfs4Status.SERVERFAULT);
            }
            throw e;
        }
    }

    private static boolean mayBeRepeated(CallContext call, OpenArguments arguments, Location file) {
        if (arguments.exclusive() || !(arguments.create() instanceof CreateMode.Unchecked)) {
            return arguments.exclusive();
        }
        try {
            requirePermitted(arguments, file, call.admissions().callerAt(file));
            return true;
        } catch (Nfs4Exception | FsException e) {
            return false;
        }
    }

    private static Created create(CallContext call, OpenArguments arguments, Location directory, FileName name)
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
     * to it; only a size of zero would (section 18.16.3).
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
            requirePermitted(arguments, file, call.admissions().callerAt(file));
            // A caller that truncates a file writes to it, whatever it is opened for.
            int access = arguments.access() | OpenRequest.WRITE;
            call.services().state().opens().prepareOpen(call.nowNanos(), request(call, arguments, file, access));
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
    private static BitSet attributesSet(OpenArguments arguments, boolean isNew) {
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

    private static OpenRequest request(CallContext call, OpenArguments arguments, Location file, int access)
            throws Nfs4Exception {
        return new OpenRequest(
                call.calling().client(),
                arguments.owner(),
                FileKey.of(file.identity()),
                access,
                arguments.deny(),
                arguments.claim() == OpenArguments.CLAIM_PREVIOUS,
                arguments.delegation() != null,
                null);
    }

    /**
     * Throws if the file is not regular. The answer for a FIFO or device is SYMLINK too (section 18.16.3). A Linux
     * client then opens it by itself; any other error would become EIO.
     */
    private static void requireRegular(Location file) throws Nfs4Exception, FsException {
        FileType type = file.type();
        if (type != FileType.REGULAR) {
            throw Nfs4Exception.of(type == FileType.DIRECTORY ? Nfs4Status.ISDIR : Nfs4Status.SYMLINK);
        }
    }

    /** @param isNew the caller has just created the file, and may use it whatever its permissions say */
    private static OpenedFile open(
            CallContext call, OpenArguments arguments, Location file, boolean isNew, @Nullable OpenPermit permit)
            throws Nfs4Exception, FsException {
        requireRegular(file);
        if ((arguments.access() & OpenRequest.WRITE) != 0) {
            call.admissions().requireWritable(file);
        }
        OpenRequest request = request(call, arguments, file, arguments.access()).by(permit);
        OpenStates state = call.services().state().opens();
        Stateid delegation = arguments.delegation();
        if (delegation != null) {
            call.services()
                    .state()
                    .delegations()
                    .require(
                            call.calling().client(),
                            request.file(),
                            call.files().resolve(delegation));
        }
        Caller caller = call.admissions().callerAt(file);
        boolean reclaims = arguments.claim() == OpenArguments.CLAIM_PREVIOUS;
        // What a client did under its delegation was permitted then; the backend still judges who opens the file now.
        if (!isNew && !reclaims && delegation == null) {
            requirePermitted(arguments, file, caller);
        }
        int missing = state.prepareOpen(call.nowNanos(), request);
        SharedFile reader = null;
        SharedFile writer = null;
        FileSystem fileSystem = file.fileSystem();
        switch (missing) {
            case OpenRequest.READ ->
                reader = new SharedFile(fileSystem.open(caller, file.file(), OpenAccess.READ), fileSystem, caller);
            case OpenRequest.WRITE ->
                writer = new SharedFile(fileSystem.open(caller, file.file(), OpenAccess.WRITE), fileSystem, caller);
            case OpenRequest.BOTH -> {
                reader =
                        new SharedFile(fileSystem.open(caller, file.file(), OpenAccess.READ_WRITE), fileSystem, caller);
                writer = reader.hold();
            }
            default -> {}
        }
        // An OPEN that may be an old request after a long delay gets no delegation (RFC 7530, section 9.1.11).
        boolean unconfirmed = !reclaims && mustConfirm(call);
        DelegationWant.Kind wish = unconfirmed ? DelegationWant.Kind.SETTLED : arguments.wish();
        DelegationStates delegations = call.services().state().delegations();
        DelegationStates.Leased leased =
                delegations.leaseFor(call.services().clockNanos(), request, wish, fileSystem, file.file());
        OpenedFile opened;
        try {
            opened = state.open(
                    call.nowNanos(),
                    request,
                    new DelegationWant(
                            wish,
                            Opaque.of(call.services().handles().encode(file)),
                            arguments.keepsTimes(),
                            arguments.wantsEither(),
                            leased.lease(),
                            leased.isEnough()),
                    reader,
                    writer);
        } finally {
            delegations.endUnlessGranted(leased);
        }
        if (opened.delegation() instanceof DelegationGrant.Write && !reclaims) {
            // After a reclaim it is not known what the client compares its changes with.
            noteChange(call, file);
        }
        OwnerTurn turn = call.turn();
        if (reclaims && turn != null) {
            // Only the client itself knows what to reclaim, so the request is not an old one.
            call.services().state().owners().confirm(turn);
        }
        return opened;
    }

    /** Notes the attributes with which the client begins to change the file in its cache. */
    private static void noteChange(CallContext call, Location file) throws Nfs4Exception {
        try {
            call.services()
                    .state()
                    .delegations()
                    .granted(call.calling().client(), FileKey.of(file.identity()), file.attributes());
        } catch (FsException e) {
            // Without it, whatever the client says later counts as a change.
        }
    }

    /**
     * Checks the permissions of the file. Backends let owners open their files whatever the permissions say, for
     * clients that write to a file that they opened earlier. An OPEN is a new open, so the permissions apply. A caller
     * that may execute a file may read it, since that is how a client executes it.
     */
    private static void requirePermitted(OpenArguments arguments, Location file, Caller caller)
            throws Nfs4Exception, FsException {
        Set<Permission> has = file.fileSystem().permissions(caller, file.file(), EnumSet.allOf(Permission.class));
        boolean reads = (arguments.access() & OpenRequest.READ) != 0;
        boolean writes = (arguments.access() & OpenRequest.WRITE) != 0;
        boolean executes = reads && !writes && has.contains(Permission.EXECUTE);
        if ((reads && !has.contains(Permission.READ) && !executes) || (writes && !has.contains(Permission.WRITE))) {
            throw Nfs4Exception.of(Nfs4Status.ACCESS);
        }
    }

    /** True in NFSv4.0 until the owner has confirmed its first OPEN. */
    private static boolean mustConfirm(CallContext call) {
        OwnerTurn turn = call.turn();
        return turn != null && call.services().state().owners().mustConfirm(turn);
    }

    /** True if the client can be told when a lock that it was denied can be had. */
    private static boolean mayNotify(CallContext call) {
        Client client = call.minorVersion() > 0 ? call.calling().clientOrNull() : null;
        return client != null && call.services().state().callbacks().reaches(client);
    }

    /** nfsace4 that allows nothing to nobody, so that the client asks the server who may open the file. */
    private static void encodeNobody(CompoundWriter out) {
        out.int32(ACE_ALLOWED);
        out.int32(0);
        out.int32(0);
        out.opaque(new byte[0]);
    }

    private static void encodeRest(
            CallContext call,
            OpenArguments arguments,
            Location file,
            BitSet set,
            OpenedFile opened,
            CompoundWriter out) {
        out.int32(RESULT_LOCKTYPE_POSIX
                | (mustConfirm(call) ? RESULT_CONFIRM : 0)
                | (mayNotify(call) ? MAY_NOTIFY_LOCK : 0)
                | (opened.stateid() == null ? NO_OPEN_STATEID : 0));
        Bitmap.encode(set, out);
        switch (opened.delegation()) {
            case DelegationGrant.Read read -> {
                out.int32(OpenArguments.DELEGATE_READ);
                read.stateid().encode(out);
                out.bool(read.recalled());
                encodeNobody(out);
            }
            case DelegationGrant.Write write -> {
                out.int32(write.withTimes() ? OpenArguments.DELEGATE_WRITE_WITH_TIMES : OpenArguments.DELEGATE_WRITE);
                write.stateid().encode(out);
                out.bool(write.recalled());
                out.int32(NFS_LIMIT_SIZE);
                out.int64(SpaceLimit.of(file));
                encodeNobody(out);
            }
            case DelegationGrant.None none -> {
                if (arguments.want() == 0) {
                    out.int32(DELEGATE_NONE);
                    return;
                }
                out.int32(DELEGATE_NONE_EXT);
                out.int32(none.why().code());
                if (none.why().saysWhetherItSignals()) {
                    out.bool(false);
                }
            }
        }
    }
}
