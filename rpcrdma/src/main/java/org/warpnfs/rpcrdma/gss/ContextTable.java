package org.warpnfs.rpcrdma.gss;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * The contexts of a server. They belong to no connection: rpc.gssd creates them on one of its own, and a client uses
 * them on all.
 *
 * <h2>Operation</h2>
 *
 * A client that holds more than its share loses the context that it has not used for the longest time. If there is no
 * room although it holds none, the client with the most loses one. A client whose context is gone makes a new one, so
 * the loss costs it a few calls.
 *
 * <p>Safe for any thread. Finding a context takes no lock.
 */
final class ContextTable {
    private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final int limit;
    private final GssCounts counts;
    private final Map<ContextHandle, GssContext> byHandle = new ConcurrentHashMap<>();
    private final Map<ClientAddress, Set<GssContext>> byClient = new HashMap<>();
    private long sweptNanos;

    /** @param limit the most contexts of all clients together, at least 2 */
    ContextTable(int limit, GssCounts counts, long nowNanos) {
        this.limit = limit;
        this.counts = counts;
        this.sweptNanos = nowNanos;
    }

    int size() {
        return byHandle.size();
    }

    /** The context with this handle; null if there is none, or if it has expired. */
    @Nullable
    GssContext find(ContextHandle handle, long nowNanos) {
        GssContext found = byHandle.get(handle);
        if (found == null) {
            return null;
        }
        if (found.isExpired(nowNanos)) {
            remove(found);
            return null;
        }
        found.used(nowNanos);
        return found;
    }

    synchronized void add(GssContext context, long nowNanos) {
        if (nowNanos - sweptNanos >= SWEEP_NANOS) {
            sweptNanos = nowNanos;
            byHandle.values().stream()
                    .filter(old -> old.isExpired(nowNanos))
                    .toList()
                    .forEach(this::remove);
        }
        ClientAddress client = context.client();
        int free = limit - byHandle.size();
        int held = held(client).size();
        if (!FairShare.allows(held, 1, free)) {
            evictOldest(held > 0 ? client : greatest());
        }
        byHandle.put(context.handle(), context);
        byClient.computeIfAbsent(client, _ -> new HashSet<>()).add(context);
    }

    synchronized void remove(GssContext context) {
        if (byHandle.remove(context.handle(), context)) {
            Set<GssContext> ofClient = held(context.client());
            ofClient.remove(context);
            if (ofClient.isEmpty()) {
                byClient.remove(context.client());
            }
            // Not disposed of: a call on another thread may be using it, and its memory holds no system resource.
        }
    }

    private Set<GssContext> held(ClientAddress client) {
        return byClient.getOrDefault(client, Set.of());
    }

    private ClientAddress greatest() {
        ClientAddress found = ClientAddress.NONE;
        for (Map.Entry<ClientAddress, Set<GssContext>> entry : byClient.entrySet()) {
            if (entry.getValue().size() > held(found).size()) {
                found = entry.getKey();
            }
        }
        return found;
    }

    private void evictOldest(ClientAddress client) {
        GssContext oldest = null;
        for (GssContext context : held(client)) {
            if (oldest == null || context.usedNanos() - oldest.usedNanos() < 0) {
                oldest = context;
            }
        }
        if (oldest != null) {
            remove(oldest);
            counts.add(GssCounts.Event.CONTEXT_EVICTED);
        }
    }
}
