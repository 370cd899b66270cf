package org.warpnfs.nfs.v4.state.file;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.locks.HeldLock;
import org.warpnfs.nfs.v4.state.listing.ShownName;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.listing.StateRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.DelegationRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.LayoutRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.LockRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.OpenRow;

/**
 * Makes the rows of opens, locks, delegations and layouts that administrators see. Called under the lock of the state.
 */
public final class HoldingRows {
    private HoldingRows() {}

    /** One open. */
    public static RowDraft<OpenRow> describe(OpenState open) {
        OpenRow row = new OpenRow(
                StateQuery.hex(open.number),
                StateQuery.hex(open.client.id()),
                ShownName.of(open.owner),
                shown(open.key()),
                null,
                access(open.access),
                access(open.deny),
                open.locks.size());
        return new RowDraft<>(
                fileOf(open),
                path -> new OpenRow(
                        row.id(),
                        row.client(),
                        row.owner(),
                        row.file(),
                        path,
                        row.access(),
                        row.deny(),
                        row.lockOwners()));
    }

    /** The locks of one lock-owner on one file. */
    public static RowDraft<LockRow> describe(LockState lock, LockTable locks) {
        List<StateRow.RangeRow> ranges = new ArrayList<>();
        for (HeldLock held : locks.rangesOf(lock, LockRow.MAX_RANGES)) {
            ranges.add(new StateRow.RangeRow(
                    held.exclusive() ? "write" : "read",
                    Long.toUnsignedString(held.range().first()),
                    Long.toUnsignedString(held.range().last())));
        }
        int count = locks.rangeCountOf(lock);
        String file = shown(lock.key());
        boolean revoked = lock.revoked;
        return new RowDraft<>(
                fileOf(lock.open),
                path -> new LockRow(
                        StateQuery.hex(lock.number),
                        StateQuery.hex(lock.client().id()),
                        ShownName.of(lock.owner.owner()),
                        file,
                        path,
                        List.copyOf(ranges),
                        count,
                        revoked));
    }

    /** One delegation. */
    public static RowDraft<DelegationRow> describe(DelegationState delegation) {
        String phase = delegation.isRevoked() ? "revoked" : delegation.isRecalled() ? "recalled" : "held";
        String kind =
                delegation.isOfDirectory() ? "directory" : delegation.kind() == DelegationKind.WRITE ? "write" : "read";
        return new RowDraft<>(
                delegation.file(),
                path -> new DelegationRow(
                        StateQuery.hex(delegation.number()),
                        StateQuery.hex(delegation.client().id()),
                        shown(delegation.key()),
                        path,
                        kind,
                        phase));
    }

    /** One layout. */
    public static RowDraft<LayoutRow> describe(LayoutState layout, FileStates files) {
        String phase = layout.isRevoked() ? "revoked" : layout.isRecalled() ? "recalled" : "held";
        String iomode = access((layout.reads() ? OpenRequest.READ : 0) | (layout.writes() ? OpenRequest.WRITE : 0));
        OpenState open = files.openBy(layout.key(), layout.client());
        return new RowDraft<>(
                open == null ? null : fileOf(open),
                path -> new LayoutRow(
                        StateQuery.hex(layout.number()),
                        StateQuery.hex(layout.client().id()),
                        shown(layout.key()),
                        path,
                        iomode,
                        phase));
    }

    private static @Nullable SharedFile fileOf(OpenState open) {
        return open.reader != null ? open.reader : open.writer;
    }

    /** Two media may have files with the same handle, so the medium is shown too. */
    private static String shown(FileKey file) {
        return String.format("%08x-%s", file.medium().hashCode(), file.handle());
    }

    private static String access(int bits) {
        return switch (bits) {
            case 0 -> "none";
            case OpenRequest.READ -> "read";
            case OpenRequest.WRITE -> "write";
            default -> "both";
        };
    }
}
