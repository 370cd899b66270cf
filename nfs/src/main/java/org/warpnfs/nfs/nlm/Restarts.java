package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.keys.KeyedHash;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportTable;

/**
 * Frees the locks of clients that say they have restarted.
 *
 * <p>A notice frees only what calls from its own address have locked. If it comes from a port that any user of that
 * host can have, it frees nothing in exports that refuse such ports, as an UNLOCK would not.
 *
 * <p>Several clients may be behind one address, and a client's status monitor may use another form of its name than its
 * lock manager. So a notice is about the client with exactly that name; if there is none, about those whose name begins
 * with the same label; if there are none of these either, about the only client of the address, if there is only one.
 * The same state twice is one restart: monitors send a notice for each form of their name.
 *
 * <p>Safe for any thread.
 */
final class Restarts {
    private static final Logger LOG = LoggerFactory.getLogger(Restarts.class);
    /** Number of clients whose last state is remembered. */
    private static final int REMEMBERED = 8192;

    private final ExportTable exports;
    private final NlmLocks locks;
    private final NlmShares shares;
    private final Map<Told, Integer> lastState = new LinkedHashMap<>();

    Restarts(ExportTable exports, NlmLocks locks, NlmShares shares) {
        this.exports = exports;
        this.locks = locks;
        this.shares = shares;
    }

    /**
     * Who told of a restart. Of the label a hash is enough: only that address can make up another one.
     *
     * @param privileged what any user of the host may have said does not count as said by the host
     */
    private record Told(InetAddress address, int label, boolean privileged) {
        @Override
        public int hashCode() {
            return KeyedHash.of(KeyedHash.of(address), label);
        }

        static Told by(NlmCaller from, String name) {
            return new Told(from.address(), KeyedHash.of(Restarts.label(name)), from.privileged());
        }
    }

    /** What all forms of a host's name have in common: the first label; of an address in digits, all of it. */
    private static String label(String name) {
        int dot = name.indexOf('.');
        boolean isAddress = !name.isEmpty() && Character.isDigit(name.charAt(name.length() - 1));
        return (dot < 0 || isAddress ? name : name.substring(0, dot)).toLowerCase(Locale.ROOT);
    }

    /** SM_NOTIFY. */
    void restarted(NlmCaller from, StateArgs notice) {
        Set<String> names = new LinkedHashSet<>(locks.namesAt(from.address()));
        names.addAll(shares.namesAt(from.address()));
        Set<String> news = news(from, notice, clientsOf(notice.name(), names));
        if (news.isEmpty()) {
            return;
        }
        int freed = free(from, host -> news.contains(host.name()));
        if (freed > 0) {
            LOG.info(
                    "{} has restarted: its locks on {} file(s) are freed",
                    from.host(notice.name()).shown(),
                    freed);
        }
    }

    private static Set<String> clientsOf(String name, Set<String> names) {
        if (names.contains(name)) {
            return Set.of(name);
        }
        Set<String> alike = new HashSet<>(names);
        alike.removeIf(other -> !label(other).equals(label(name)));
        return alike.isEmpty() && names.size() == 1 ? names : alike;
    }

    /** Those of the names whose restart had not been told. */
    private synchronized Set<String> news(NlmCaller from, StateArgs notice, Set<String> names) {
        boolean isNews = remember(Told.by(from, notice.name()), notice.state());
        Set<String> fresh = new HashSet<>();
        for (String name : names) {
            boolean isSame = label(name).equals(label(notice.name()));
            if (isSame ? isNews : remember(Told.by(from, name), notice.state())) {
                fresh.add(name);
            }
        }
        return fresh;
    }

    /** Returns true if the last state was another one. */
    private boolean remember(Told told, int state) {
        Integer before = lastState.remove(told);
        lastState.put(told, state);
        if (lastState.size() > REMEMBERED) {
            lastState.remove(lastState.keySet().iterator().next());
        }
        return before == null || before != state;
    }

    /**
     * Frees what such hosts at the sender's address have, as far as the sender may. Returns on how many files there was
     * a lock.
     */
    int free(NlmCaller from, Predicate<NlmHost> hosts) {
        Predicate<FileSystem> files = from.privileged() ? _ -> true : openToUsersOf(from.address())::contains;
        shares.free(from.address(), hosts, files);
        return locks.free(from.address(), hosts, files);
    }

    private Set<FileSystem> openToUsersOf(InetAddress address) {
        Set<FileSystem> open = Collections.newSetFromMap(new IdentityHashMap<>());
        exports.exports().stream()
                .filter(export -> export.takesEveryPortOf(address))
                .map(Export::fileSystem)
                .forEach(open::add);
        return open;
    }
}
