package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
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
        OpenArguments arguments =
                OpenArguments.decode(head, in, call.minorVersion(), call.supported(base), call.owners());
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
        OpenResult.encode(call, arguments, file, new BitSet(), opened, out);
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
                Created created = OpenCreation.create(call, arguments, directory, name);
                isNew = created.isNew();
                file = directory.sibling(created.node().handle());
                set = OpenCreation.attributesSet(arguments, isNew);
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
            OpenResult.encode(call, arguments, file, set, opened, out);
            call.files().setCurrent(file);
            call.files().setCurrentStateid(opened.current());
        }
    }

    /**
     * Opens the file that this call has created. The answer is not DELAY or GRACE if the client could not repeat the
     * call: the name exists now, so the client would get EXIST and never learn that the file is its own.
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
            OpenRules.requirePermitted(arguments, file, call.admissions().callerAt(file));
            return true;
        } catch (Nfs4Exception | FsException e) {
            return false;
        }
    }

    /** @param isNew the caller has just created the file, and may use it whatever its permissions say */
    private static OpenedFile open(
            CallContext call, OpenArguments arguments, Location file, boolean isNew, @Nullable OpenPermit permit)
            throws Nfs4Exception, FsException {
        OpenRules.requireRegular(file);
        if ((arguments.access() & OpenRequest.WRITE) != 0) {
            call.admissions().requireWritable(file);
        }
        OpenRequest request = arguments
                .request(call.calling().client(), file, arguments.access())
                .by(permit);
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
            OpenRules.requirePermitted(arguments, file, caller);
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
        boolean unconfirmed = !reclaims && OwnerSequence.mustConfirm(call);
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
                            call.calling().referring(),
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
}
