package org.warpnfs.server;

import java.io.IOException;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.cluster.ClusterTiming;
import org.warpnfs.nfs.cluster.Lookout;
import org.warpnfs.nfs.cluster.Signs;
import org.warpnfs.server.config.ClusterChoice;

/** The signs of life that a node looks at. Logs once of each that cannot be read. For one thread at a time. */
final class SignsInSight {
    private static final Logger LOG = LoggerFactory.getLogger(SignsInSight.class);

    private final String cluster;
    private final Lookout lookout;
    private Set<String> unread = Set.of();

    SignsInSight(ClusterChoice choice, ClusterTiming timing, SharedState shared) {
        this.cluster = choice.name();
        this.lookout = new Lookout(shared.store(), choice.node(), timing.deadNanos() / 8, BootClock::nanos);
    }

    Signs look(Set<String> nodes) throws IOException {
        Signs signs = lookout.look(nodes);
        signs.unread().forEach((node, why) -> {
            if (!unread.contains(node)) {
                LOG.warn("cluster {}: the sign of life of node {} cannot be read: {}", cluster, node, why);
            }
        });
        if (!nodes.isEmpty()) {
            unread = signs.unread().keySet();
        }
        return signs;
    }
}
