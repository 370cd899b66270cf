package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.export.ChangeWindows;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.state.DelegationStates;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * Attributes of files that another client may have changed in its cache, since it has a write delegation (RFC 8881,
 * section 10.4.3). The backend does not know these changes.
 */
final class LatestAttributes {
    private static final AttributeChanges MODIFIED_NOW =
            new AttributeChanges(null, null, null, null, null, new AttributeChanges.TimeChange.ToServerTime());

    private LatestAttributes() {}

    /** True if {@code asked} has an attribute of the file that the backend may not know. Only memory is looked at. */
    static boolean mayBeElsewhere(CallContext call, BitSet asked, Location file) {
        DelegationStates delegations = call.services().state().delegations();
        return delegations.isAnyWriteDelegated()
                && !file.isAbsent()
                && Attributes.changeWithData(asked)
                && delegations.isWriteDelegated(keyOf(file));
    }

    /** What {@link #keep} needs to know from before attributes are read. */
    static long beforeReading(CallContext call) {
        return call.services().state().delegations().writtenBack();
    }

    /**
     * Keeps all attributes of a file, which the backend has just given, for later operations of the COMPOUND. They are
     * not kept if a client may have changed the file in its cache while they were read: once it has returned the
     * delegation, they would be older than what others were told.
     *
     * @param before from {@link #beforeReading}
     */
    static void keep(CallContext call, Location file, FileAttributes attributes, long before) {
        DelegationStates delegations = call.services().state().delegations();
        boolean isDelegated =
                delegations.isAnyWriteDelegated() && !file.isAbsent() && delegations.isWriteDelegated(keyOf(file));
        // In this order: the number is raised before a delegation is seen to end.
        if (!isDelegated && delegations.writtenBack() == before) {
            call.files().know(file, attributes);
        }
    }

    /**
     * The attributes of a file, of which {@code asked} are needed. May wait.
     *
     * @throws Nfs4Exception DELAY while a delegation is being recalled, because its client did not answer
     */
    static FileAttributes of(CallContext call, BitSet asked, Location file) throws Nfs4Exception, FsException {
        if (!mayBeElsewhere(call, asked, file)) {
            return call.files().attributes(file, Attributes.needed(asked));
        }
        return askedFor(call.services(), file, asker(call, file));
    }

    /**
     * The attributes of a file, after its holder was asked if it has one. May wait.
     *
     * @param asker the client that asks, which may be the holder itself; null for an unknown one
     * @throws Nfs4Exception DELAY while a delegation is being recalled, because its client did not answer
     */
    static FileAttributes askedFor(Nfs4Services services, Location file, @Nullable Client asker)
            throws Nfs4Exception, FsException {
        long nowNanos = services.clockNanos().getAsLong();
        DelegationStates.Held held = services.state().delegations().ask(nowNanos, keyOf(file), asker);
        return held == null ? file.attributes() : merged(services, file, asker, held);
    }

    /**
     * The attributes of a file that its client may have changed. If it has, the backend's file is touched: so the
     * change attribute that others see is a new one each time, and is never one that the file has again later. Whoever
     * asks may cause so many of these changes within a second, and then has the delegation recalled: numbers that the
     * backend does not know could be those of later changes.
     */
    private static FileAttributes merged(
            Nfs4Services services, Location file, @Nullable Client asker, DelegationStates.Held held)
            throws Nfs4Exception, FsException {
        FileAttributes known = file.attributes();
        long theirs = held.attributes().changeId();
        FileAttributes granted = held.whenGranted();
        boolean isSame = theirs == known.changeId() || (granted != null && theirs == granted.changeId());
        if (isSame && held.attributes().sizeBytes() == known.sizeBytes()) {
            return known;
        }
        DelegationStates delegations = services.state().delegations();
        if (!delegations.mayTouch(services.clockNanos().getAsLong(), held, asker)) {
            return file.attributes();
        }
        ChangeWindows.Window window = services.exports().changeWindows().begin(file.identity());
        try {
            AttributeChanges times = DelegatedTimes.of(
                    held.attributes().accessTime(), held.attributes().modifyTime(), granted);
            file.fileSystem()
                    .setAttributes(Caller.ROOT, file.file(), times.modifyTime() == null ? MODIFIED_NOW : times);
            if (times.modifyTime() != null && !delegations.isLatest(held)) {
                // The holder has sent a later time since its answer, or others have changed the file after it.
                file.fileSystem().setAttributes(Caller.ROOT, file.file(), MODIFIED_NOW);
            }
            FileAttributes now = file.attributes();
            return changed(now, held.attributes().sizeBytes(), now.changeId());
        } catch (FsException e) {
            // While it has the delegation, only the holder can change the file, so no other change has this value.
            return changed(known, held.attributes().sizeBytes(), known.changeId() + 1);
        } finally {
            boolean _ = window.end();
        }
    }

    private static FileAttributes changed(FileAttributes known, long sizeBytes, long changeId) {
        return new FileAttributes(
                known.type(),
                known.permissions(),
                known.linkCount(),
                known.uid(),
                known.gid(),
                sizeBytes,
                known.usedBytes(),
                known.deviceMajor(),
                known.deviceMinor(),
                known.fileSystemId(),
                known.fileId(),
                known.accessTime(),
                known.modifyTime(),
                known.changeTime(),
                known.birthTime(),
                changeId);
    }

    /** True if the calling client itself has the write delegation. */
    static boolean isWriter(CallContext call, Location file) {
        Client client = asker(call, file);
        return client != null && call.services().state().delegations().isWriter(keyOf(file), client);
    }

    /** Throws DELAY while another client has a write delegation of the file, which is being recalled. */
    static void requireNoWriter(CallContext call, Location file) throws Nfs4Exception {
        call.services().state().delegations().requireNoWriter(call.nowNanos(), keyOf(file), asker(call, file));
    }

    /**
     * The client that asks, if it is known. A COMPOUND of NFSv4.0 that names no client is taken for one of the client
     * at its address that has the write delegation, if there is one.
     */
    static @Nullable Client asker(CallContext call, Location file) {
        Client named = call.calling().clientOrNull();
        return named != null || call.minorVersion() > 0
                ? named
                : call.services()
                        .state()
                        .delegations()
                        .sessionlessWriterAt(
                                keyOf(file), ClientAddress.of(call.calling().address()))
                        .orElse(null);
    }

    private static FileKey keyOf(Location file) {
        return FileKey.of(file.identity());
    }
}
