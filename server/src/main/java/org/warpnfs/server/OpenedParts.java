package org.warpnfs.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a server, which are closed in the reverse order. If one cannot be closed, that is logged, and the others
 * are closed all the same. Not safe for several threads at a time.
 */
final class OpenedParts {
    private static final Logger LOG = LoggerFactory.getLogger(OpenedParts.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Adds a part, which is the first to be closed now, and returns it. */
    <T extends AutoCloseable> T add(T part) {
        parts.addFirst(part);
        return part;
    }

    void closeAll() {
        for (AutoCloseable part = parts.pollFirst(); part != null; part = parts.pollFirst()) {
            close(part);
        }
    }

    /** Closes everything that was added after {@code last}. */
    void closeDownTo(AutoCloseable last) {
        for (AutoCloseable part = parts.pollFirst(); part != null && part != last; part = parts.pollFirst()) {
            close(part);
        }
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.error("{} could not be closed", part.getClass().getSimpleName(), e);
        }
    }
}
