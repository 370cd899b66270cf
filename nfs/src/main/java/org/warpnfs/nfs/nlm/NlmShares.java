package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
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
    private static final int READ = 1;
    private static final int WRITE = 2;

    private final int most;
    private final Map<FileIdentity, OfFile> byFile = new HashMap<>();
    private final Map<ClientAddress, Set<Share>> byClient = new HashMap<>();
    private int count;

    NlmShares(int most) {
        this.most = most;
    }

    private record Sharer(NlmHost host, Netobj owner) {}

    private record Share(FileIdentity file, Sharer sharer) {}

    private record Modes(int deny, int access, FileSystem fileSystem) {}

    /** The reservations of one file, counted by what they do and deny, so that nobody has to look at all of them. */
    private static final class OfFile {
        final Map<Sharer, Modes> all = new HashMap<>(2);
        private int readers;
        private int writers;
        private int readDeniers;
        private int writeDeniers;

        void count(@Nullable Modes modes, int more) {
            if (modes == null) {
                return;
            }
            readers += (modes.access & READ) != 0 ? more : 0;
            writers += (modes.access & WRITE) != 0 ? more : 0;
            readDeniers += (modes.deny & READ) != 0 ? more : 0;
            writeDeniers += (modes.deny & WRITE) != 0 ? more : 0;
        }

        boolean conflictsWith(Modes wanted) {
            return ((wanted.deny & READ) != 0 && readers > 0)
                    || ((wanted.deny & WRITE) != 0 && writers > 0)
                    || ((wanted.access & READ) != 0 && readDeniers > 0)
                    || ((wanted.access & WRITE) != 0 && writeDeniers > 0);
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
        OfFile there = byFile.get(file);
        Modes own = there == null ? null : there.all.get(sharer);
        if (there != null) {
            there.count(own, -1);
            boolean conflicts = there.conflictsWith(wanted);
            there.count(own, 1);
            if (conflicts) {
                return NlmStatus.DENIED;
            }
        }
        Set<Share> ofClient = byClient.getOrDefault(host.client(), Set.of());
        if (own == null && !FairShare.allows(ofClient.size(), 1, most - count)) {
            return NlmStatus.DENIED_NOLOCKS;
        }
        put(new Share(file, sharer), wanted);
        return NlmStatus.GRANTED;
    }

    private void put(Share share, Modes wanted) {
        OfFile there = byFile.computeIfAbsent(share.file, _ -> new OfFile());
        there.count(there.all.put(share.sharer, wanted), -1);
        there.count(wanted, 1);
        boolean isNew = byClient.computeIfAbsent(share.sharer.host.client(), _ -> new HashSet<>(2))
                .add(share);
        count += isNew ? 1 : 0;
    }

    private void remove(Share share) {
        OfFile there = byFile.get(share.file);
        Modes had = there == null ? null : there.all.remove(share.sharer);
        if (there == null || had == null) {
            return;
        }
        there.count(had, -1);
        if (there.all.isEmpty()) {
            byFile.remove(share.file);
        }
        byClient.computeIfPresent(share.sharer.host.client(), (_, shares) -> {
            shares.remove(share);
            return shares.isEmpty() ? null : shares;
        });
        count--;
    }

    /** UNSHARE; GRANTED even if there was nothing. */
    synchronized NlmStatus unshare(NlmHost host, FileIdentity file, ShareArgs args) {
        remove(new Share(file, new Sharer(host, args.owner())));
        return NlmStatus.GRANTED;
    }

    /** Frees everything of the hosts at this address that fit, on file systems that do. */
    synchronized void free(InetAddress address, Predicate<NlmHost> hosts, Predicate<FileSystem> fileSystems) {
        for (Share share : at(address)) {
            if (hosts.test(share.sharer.host) && isOn(share, fileSystems)) {
                remove(share);
            }
        }
    }

    /** Those of the hosts at this address. */
    private List<Share> at(InetAddress address) {
        return byClient.getOrDefault(ClientAddress.of(address), Set.of()).stream()
                .filter(share -> share.sharer.host.address().equals(address))
                .toList();
    }

    private boolean isOn(Share share, Predicate<FileSystem> fileSystems) {
        OfFile there = byFile.get(share.file);
        Modes modes = there == null ? null : there.all.get(share.sharer);
        return modes != null && fileSystems.test(modes.fileSystem);
    }

    /** The names under which clients of this address have reservations. */
    synchronized List<String> namesAt(InetAddress address) {
        return at(address).stream()
                .map(share -> share.sharer.host.name())
                .distinct()
                .toList();
    }

    /** Frees everything on a file system that is no longer served. */
    synchronized void withdraw(FileSystem fileSystem) {
        byClient.values().stream()
                .flatMap(Set::stream)
                .filter(share -> isOn(share, other -> other == fileSystem))
                .toList()
                .forEach(this::remove);
    }

    synchronized int count() {
        return count;
    }
}
