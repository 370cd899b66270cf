package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the locks of clients that say they have restarted.
 *
 * <p>A notice frees only what calls from its own address have locked. If a client has locks under the name in the
 * notice, only these are freed, since several clients may be behind one address; else all of the address are, since a
 * client's status monitor may use another form of its name. The same state twice is one restart: monitors send a notice
 * for each form of their name.
 *
 * <p>Safe for any thread.
 */
final class Restarts {
    private static final Logger LOG = LoggerFactory.getLogger(Restarts.class);
    /** Number of addresses, and of names at them, whose last state is remembered. */
    private static final int REMEMBERED = 8192;

    private final NlmLocks locks;
    private final NlmShares shares;
    private final Map<Told, Integer> lastState = new LinkedHashMap<>();

    Restarts(NlmLocks locks, NlmShares shares) {
        this.locks = locks;
        this.shares = shares;
    }

    /** A name at an address, of which a hash is enough: only that address can make up another one. */
    private record Told(InetAddress address, @Nullable Integer name) {
        static Told by(InetAddress address, String name) {
            return new Told(address, name.hashCode());
        }
    }

    /** SM_NOTIFY from that address. */
    void restarted(InetAddress address, StateArgs notice) {
        List<String> names = locks.namesAt(address);
        boolean known = names.contains(notice.name());
        if (!isNews(address, notice, known ? List.of() : names, known)) {
            return;
        }
        Predicate<NlmHost> hosts =
                host -> host.address().equals(address) && (!known || host.name().equals(notice.name()));
        int freed = locks.free(hosts);
        shares.free(hosts);
        if (freed > 0) {
            LOG.info(
                    "{} has restarted: its locks on {} file(s) are freed",
                    new NlmHost(address, notice.name()).shown(),
                    freed);
        }
    }

    /** @param others names that have restarted by this notice too */
    private synchronized boolean isNews(InetAddress address, StateArgs notice, List<String> others, boolean known) {
        boolean isFirst = remember(new Told(address, null), notice.state());
        Told name = Told.by(address, notice.name());
        if (known) {
            return remember(name, notice.state());
        }
        if (isFirst) {
            boolean _ = remember(name, notice.state());
            for (String other : others) {
                boolean _ = remember(Told.by(address, other), notice.state());
            }
        }
        return isFirst;
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
}
