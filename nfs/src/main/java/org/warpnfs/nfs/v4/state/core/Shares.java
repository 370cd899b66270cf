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
 * How much of something all clients have together, and each client address of it. They share it by {@link FairShare}.
 * Guarded by the lock of the state.
 */
public final class Shares {
    private final long most;
    private final Map<ClientAddress, Long> byAddress = new HashMap<>();
    private final NavigableMap<Long, Set<ClientAddress>> byAmount = new TreeMap<>();
    private long taken;
    private long refused;

    /** @param most that all may have together */
    public Shares(long most) {
        this.most = most;
    }

    /** True if the address may take so many more. */
    public boolean hasRoomFor(ClientAddress address, long more) {
        return more <= 0 || FairShare.allows(of(address), more, left());
    }

    /** Counts that someone is refused: for want of room here, or at another limit of the same thing. */
    public void refuse() {
        refused++;
    }

    /** The address has so many more, whether there is room or not. */
    public void take(ClientAddress address, long more) {
        if (more != 0) {
            taken += more;
            set(address, of(address) + more);
        }
    }

    /** The address has so many less. */
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

    /** How much the address has. */
    public long of(ClientAddress address) {
        return byAddress.getOrDefault(address, 0L);
    }

    /** How much all have together. */
    public long taken() {
        return taken;
    }

    /** How much is left for all. */
    public long left() {
        return most - taken;
    }

    /** How often someone was refused. */
    public long refused() {
        return refused;
    }

    /** Who has most; null if nobody has any. */
    @Nullable
    public ClientAddress largest() {
        Map.Entry<Long, Set<ClientAddress>> last = byAmount.lastEntry();
        return last == null ? null : last.getValue().iterator().next();
    }
}
