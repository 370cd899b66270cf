package org.warpnfs.limits;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many connections of each client address owe bytes now, in one direction: they share the client's line, and with
 * it the least rate that {@link RateWatch} asks for.
 *
 * <p>Remembers only clients with such connections. Safe for any thread.
 */
public final class LineSharers {
    /**
     * The most connections that one least rate is shared by; beyond, each has to move this part of it. As many as Linux
     * makes for a mount ({@code nconnect=16}): so whoever holds memory with many connections pays for them by bytes.
     */
    public static final int MOST = 16;

    /** The line of one client. */
    public interface Line {
        /** One that nobody else is on. */
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

        /** It owes none any more, or has ended. */
        void end();

        /** Connections that owe bytes, 1 to {@link #MOST}. */
        int sharers();
    }

    private final Map<ClientAddress, Integer> owing = new ConcurrentHashMap<>();

    /** The line of all connections of one client. */
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

    /** Clients with connections that owe bytes. */
    public int clientCount() {
        return owing.size();
    }
}
