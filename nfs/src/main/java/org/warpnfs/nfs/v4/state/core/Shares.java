package org.warpnfs.nfs.v4.state.core;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * Amounts of a limited resource that each client address has, and that all have together. Addresses share it by
 * {@link FairShare}. Guarded by the lock of the state.
 */
public final class Shares {
    private final long most;
    private final Map<ClientAddress, Long> byAddress = new HashMap<>();
    private final NavigableMap<Long, Set<ClientAddress>> byAmount = new TreeMap<>();
    private long taken;
    private long refused;

    /** @param most limit of all addresses together */
    public Shares(long most) {
        this.most = most;
    }

    /** True if the address may take {@code more}. */
    public boolean hasRoomFor(ClientAddress address, long more) {
        return more <= 0 || FairShare.allows(of(address), more, left());
    }

    /** Counts a refusal, because of this limit or of another limit of the same resource. */
    public void refuse() {
        refused++;
    }

    /** Adds to the amount of the address, whether there is room or not. */
    public void take(ClientAddress address, long more) {
        if (more != 0) {
            taken += more;
            set(address, of(address) + more);
        }
    }

    /** Subtracts from the amount of the address. */
    public void giveBack(ClientAddress address, long less) {
        if (less != 0) {
            taken -= less;
            set(address, of(address) - less);
        }
    }

    private void set(ClientAddress address, long amount) {
        Long before = amount == 0 ? byAddress.remove(address) : byAddress.put(address, amount);
        if (before != null) {
            byAmount.computeIfPresent(before, (_, addresses) -> {
                addresses.remove(address);
                return addresses.isEmpty() ? null : addresses;
            });
        }
        if (amount != 0) {
            byAmount.computeIfAbsent(amount, _ -> new LinkedHashSet<>(2)).add(address);
        }
    }

    /** The amount that the address has. */
    public long of(ClientAddress address) {
        return byAddress.getOrDefault(address, 0L);
    }

    /** The amount that all have together. */
    public long taken() {
        return taken;
    }

    /** The amount that is left for all. */
    public long left() {
        return most - taken;
    }

    /** Number of refusals. */
    public long refused() {
        return refused;
    }

    /** The address that has most; null if none has any. */
    @Nullable
    public ClientAddress largest() {
        Map.Entry<Long, Set<ClientAddress>> last = byAmount.lastEntry();
        return last == null ? null : last.getValue().iterator().next();
    }
}
