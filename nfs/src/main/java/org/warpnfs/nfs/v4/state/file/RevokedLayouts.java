package org.warpnfs.nfs.v4.state.file;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * Layouts that were revoked, and what their clients know of it.
 *
 * <p>A client is told by a flag in the reply of each of its SEQUENCEs. RFC 8881, section 18.46.3, keeps the flag until
 * the client frees the stateid. Linux drops its layouts when it sees the flag, and frees no stateid of them. It would
 * do so again each time it renews its lease, for as long as it has the file open. So a revoked layout is gone when its
 * client was told for a lease.
 *
 * <p>Guarded by the lock of the state.
 */
final class RevokedLayouts {
    private static final class OfClient {
        final Set<LayoutState> untold = new LinkedHashSet<>(2);
        /** With the time of the first reply that told of it. The oldest is first. */
        final Map<LayoutState, Long> told = new LinkedHashMap<>(2);
    }

    private final Map<Client, OfClient> byClient = new HashMap<>();

    void add(LayoutState layout) {
        byClient.computeIfAbsent(layout.client(), _ -> new OfClient()).untold.add(layout);
    }

    /** Does nothing if the layout was not revoked. */
    void remove(LayoutState layout) {
        byClient.computeIfPresent(layout.client(), (_, revoked) -> {
            revoked.untold.remove(layout);
            revoked.told.remove(layout);
            return revoked.untold.isEmpty() && revoked.told.isEmpty() ? null : revoked;
        });
    }

    /** True if a reply to the client has to tell it of revoked layouts. It does so now. */
    boolean tell(long nowNanos, Client client) {
        OfClient revoked = byClient.get(client);
        if (revoked == null) {
            return false;
        }
        revoked.untold.forEach(layout -> revoked.told.put(layout, nowNanos));
        revoked.untold.clear();
        return true;
    }

    /** Those that their clients were told of for a lease, at most so many. */
    List<LayoutState> settled(long nowNanos, long leaseNanos, int most) {
        List<LayoutState> settled = new ArrayList<>();
        for (OfClient revoked : byClient.values()) {
            Iterator<Map.Entry<LayoutState, Long>> oldest =
                    revoked.told.entrySet().iterator();
            while (oldest.hasNext() && settled.size() < most) {
                Map.Entry<LayoutState, Long> each = oldest.next();
                if (nowNanos - each.getValue() <= leaseNanos) {
                    break;
                }
                settled.add(each.getKey());
            }
        }
        return settled;
    }
}
