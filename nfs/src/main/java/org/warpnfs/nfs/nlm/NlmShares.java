package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileSystem;
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

    private record Modes(int deny, int access, FileSystem fileSystem) {
        boolean conflictsWith(Modes other) {
            return (deny & other.access) != 0 || (access & other.deny) != 0;
        }
    }

    /**
     * SHARE. It replaces what the same owner reserved.
     *
     * @param fileSystem through which the client reaches the file
     */
    synchronized NlmStatus share(NlmHost host, FileIdentity file, FileSystem fileSystem, ShareArgs args) {
        Sharer sharer = new Sharer(host, args.owner());
        Modes wanted = new Modes(args.deny(), args.access(), fileSystem);
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

    /** Frees everything of the clients that fit on file systems that do. */
    synchronized void free(Predicate<NlmHost> hosts, Predicate<FileSystem> fileSystems) {
        free((sharer, modes) -> hosts.test(sharer.host()) && fileSystems.test(modes.fileSystem()));
    }

    /** The names under which clients of this address have reservations. */
    synchronized List<String> namesAt(InetAddress address) {
        return byFile.values().stream()
                .flatMap(there -> there.keySet().stream())
                .map(Sharer::host)
                .filter(host -> host.address().equals(address))
                .map(NlmHost::name)
                .distinct()
                .toList();
    }

    /** Frees everything on a file system that is no longer served. */
    synchronized void withdraw(FileSystem fileSystem) {
        free((_, modes) -> modes.fileSystem() == fileSystem);
    }

    private void free(BiPredicate<Sharer, Modes> which) {
        byFile.values().removeIf(there -> {
            there.entrySet().removeIf(share -> {
                boolean fits = which.test(share.getKey(), share.getValue());
                if (fits) {
                    count(share.getKey().host(), -1);
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
