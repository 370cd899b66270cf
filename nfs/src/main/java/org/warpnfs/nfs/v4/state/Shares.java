package org.warpnfs.nfs.v4.state;

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
 * How much of something all clients have together, and each client address of it. They share it by {@link FairShare}. Guarded by the lock of the
 * state.
 */
final class Shares {
    private final long most;
    private final Map<ClientAddress, Long> byAddress = new HashMap<>();
    private final NavigableMap<Long, Set<ClientAddress>> byAmount = new TreeMap<>();
    private long taken;
    private long refused;

    /** @param most that all may have together */
    Shares(long most) {
        this.most = most;
    }

    /** True if the address may take so many more. */
    boolean hasRoomFor(ClientAddress address, long more) {
        return more <= 0 || FairShare.allows(of(address), more, left());
    }

    /** Counts that someone is refused: for want of room here, or at another limit of the same thing. */
    void refuse() {
        refused++;
    }

    void take(ClientAddress address, long more) {
        if (more != 0) {
            taken += more;
            set(address, of(address) + more);
        }
    }

    void giveBack(ClientAddress address, long less) {
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

    long of(ClientAddress address) {
        return byAddress.getOrDefault(address, 0L);
    }

    long taken() {
        return taken;
    }

    long left() {
        return most - taken;
    }

    /** How often someone was refused. */
    long refused() {
        return refused;
    }

    /** Who has most; null if nobody has any. */
    @Nullable
    ClientAddress largest() {
        Map.Entry<Long, Set<ClientAddress>> last = byAmount.lastEntry();
        return last == null ? null : last.getValue().iterator().next();
    }
}
