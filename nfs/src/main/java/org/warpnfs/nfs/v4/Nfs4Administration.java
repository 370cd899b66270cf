package org.warpnfs.nfs.v4;

import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.StateAdministration;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.state.listing.StatePage;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.listing.StateRow;

/**
 * What an administrator can see of NFSv4 clients and take from them. Safe for any thread. Nothing here waits for a
 * client.
 */
public final class Nfs4Administration {
    private final StateTable state;
    private final LongSupplier clockNanos;

    Nfs4Administration(StateTable state, LongSupplier clockNanos) {
        this.state = state;
        this.clockNanos = clockNanos;
    }

    public StatePage<StateRow.ClientRow> clients(StateQuery query) {
        return state.listings().clients(clockNanos.getAsLong(), query);
    }

    public StatePage<StateRow.SessionRow> sessions(StateQuery query) {
        return state.listings().sessions(query);
    }

    public StatePage<StateRow.OpenRow> opens(StateQuery query) {
        return state.listings().opens(query);
    }

    public StatePage<StateRow.LockRow> locks(StateQuery query) {
        return state.listings().locks(query);
    }

    public StatePage<StateRow.DelegationRow> delegations(StateQuery query) {
        return state.listings().delegations(query);
    }

    public StatePage<StateRow.LayoutRow> layouts(StateQuery query) {
        return state.listings().layouts(query);
    }

    /** See {@link StateAdministration#evict}. */
    public StateAdministration.@Nullable Evicted evict(String client) {
        return state.administration().evict(client);
    }

    /** See {@link StateAdministration#unlock}. */
    public StateAdministration.Unlocked unlock(@Nullable String client, Predicate<StateRow.LockRow> meant, int most) {
        return state.administration().unlock(client, meant, most);
    }

    /** See {@link StateAdministration#endGrace}. */
    public int endGrace() {
        return state.administration().endGrace(clockNanos.getAsLong());
    }
}
