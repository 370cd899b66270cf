package org.warpnfs.nfs.nlm;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * Share reservations of NLM (X/Open XNFS, section 10.3.14). They bind clients that make some themselves, and none is
 * made that an OPEN of NFSv4 excludes. They do not bind NFSv4: NLM has no lease, so a reservation whose client is gone
 * would keep a file closed for ever. Safe for any thread.
 */
final class NlmShares {
    private final int most;
    private final Map<FileIdentity, Map<Sharer, Modes>> byFile = new HashMap<>();
    private final Map<ClientAddress, Integer> byClient = new HashMap<>();
    private int count;

    NlmShares(int most) {
        this.most = most;
    }

    private record Sharer(NlmHost host, Netobj owner) {}

    private record Modes(int deny, int access) {
        boolean conflictsWith(Modes other) {
            return (deny & other.access) != 0 || (access & other.deny) != 0;
        }
    }

    /** SHARE. It replaces what the same owner reserved. */
    synchronized NlmStatus share(NlmHost host, FileIdentity file, ShareArgs args) {
        Sharer sharer = new Sharer(host, args.owner());
        Modes wanted = new Modes(args.deny(), args.access());
        Map<Sharer, Modes> there = byFile.getOrDefault(file, Map.of());
        boolean conflicts = there.entrySet().stream()
                .anyMatch(other ->
                        !other.getKey().equals(sharer) && other.getValue().conflictsWith(wanted));
        if (conflicts) {
            return NlmStatus.DENIED;
        }
        if (!there.containsKey(sharer)) {
            if (!FairShare.allows(byClient.getOrDefault(host.client(), 0), 1, most - count)) {
                return NlmStatus.DENIED_NOLOCKS;
            }
            count(host, 1);
        }
        byFile.computeIfAbsent(file, _ -> new HashMap<>(2)).put(sharer, wanted);
        return NlmStatus.GRANTED;
    }

    /** UNSHARE; GRANTED even if there was nothing. */
    synchronized NlmStatus unshare(NlmHost host, FileIdentity file, ShareArgs args) {
        byFile.computeIfPresent(file, (_, there) -> {
            if (there.remove(new Sharer(host, args.owner())) != null) {
                count(host, -1);
            }
            return there.isEmpty() ? null : there;
        });
        return NlmStatus.GRANTED;
    }

    /** Frees everything of the clients that fit. */
    synchronized void free(Predicate<NlmHost> hosts) {
        byFile.values().removeIf(there -> {
            there.keySet().removeIf(sharer -> {
                boolean fits = hosts.test(sharer.host());
                if (fits) {
                    count(sharer.host(), -1);
                }
                return fits;
            });
            return there.isEmpty();
        });
    }

    private void count(NlmHost host, int more) {
        count += more;
        byClient.merge(host.client(), more, (had, added) -> had + added == 0 ? null : had + added);
    }

    synchronized int count() {
        return count;
    }
}
