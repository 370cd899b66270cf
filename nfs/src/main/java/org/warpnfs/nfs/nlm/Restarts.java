package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
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
    /** Number of addresses whose last state is remembered. An older one may be told twice, which frees nothing more. */
    private static final int REMEMBERED = 4096;

    private final NlmLocks locks;
    private final NlmShares shares;
    private final Map<InetAddress, Integer> lastState = new LinkedHashMap<>();

    Restarts(NlmLocks locks, NlmShares shares) {
        this.locks = locks;
        this.shares = shares;
    }

    /** SM_NOTIFY from that address. */
    void restarted(InetAddress address, StateArgs notice) {
        List<String> names = locks.namesAt(address);
        boolean known = names.contains(notice.name());
        if (!isNews(address, notice.state()) && !known) {
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

    private synchronized boolean isNews(InetAddress address, int state) {
        Integer before = lastState.remove(address);
        lastState.put(address, state);
        if (lastState.size() > REMEMBERED) {
            lastState.remove(lastState.keySet().iterator().next());
        }
        return before == null || before != state;
    }
}
