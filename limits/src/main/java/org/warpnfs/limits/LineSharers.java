package org.warpnfs.limits;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the connections of each client address that owe bytes now, in one direction. They share the client's line, and
 * with it the least rate that {@link RateWatch} demands.
 *
 * <p>Stores only clients with such connections. Safe for any thread.
 */
public final class LineSharers {
    /**
     * The most connections that share one least rate. With more connections, each still must move 1/16 of the rate. It
     * is as many as Linux opens for a mount ({@code nconnect=16}). So a client that holds memory with more connections
     * than that must move more bytes.
     */
    public static final int MOST = 16;

    /** The line of one client. */
    public interface Line {
        /** A line that no other connection shares. */
        Line ALONE = new Line() {
            @Override
            public void begin() {}

            @Override
            public void end() {}

            @Override
            public int sharers() {
                return 1;
            }
        };

        /** A connection begins to owe bytes. */
        void begin();

        /** A connection no longer owes bytes, or has ended. */
        void end();

        /** The number of connections that owe bytes, 1 to {@link #MOST}. */
        int sharers();
    }

    private final Map<ClientAddress, Integer> owing = new ConcurrentHashMap<>();

    /** The line that all connections of one client share. */
    public Line of(ClientAddress client) {
        return new Line() {
            @Override
            public void begin() {
                owing.merge(client, 1, Integer::sum);
            }

            @Override
            public void end() {
                owing.computeIfPresent(client, (_, count) -> count == 1 ? null : count - 1);
            }

            @Override
            public int sharers() {
                return Math.clamp(owing.getOrDefault(client, 0), 1, MOST);
            }
        };
    }

    /** The number of clients with connections that owe bytes. */
    public int clientCount() {
        return owing.size();
    }
}
