package org.warpnfs.nfs.v4.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The data servers of all exports, and how layouts use them.
 *
 * @param servers none if clients get no layouts
 * @param mirrors how many data servers a layout to read names at most. A layout to write names one: all of them serve
 *     the same file, and a client would write it that many times.
 */
public record DataServers(List<DataServer> servers, int mirrors) {
    /** Data servers that a configuration may name. */
    public static final int MAX_SERVERS = 64;

    /** Linux takes this many (RFC 8435 has no limit). */
    public static final int MAX_MIRRORS = 16;

    public static final DataServers NONE = new DataServers(List.of(), 1);

    public DataServers {
        if (servers.size() > MAX_SERVERS) {
            throw new IllegalArgumentException(servers.size() + " data servers, limit " + MAX_SERVERS);
        }
        if (mirrors < 1 || mirrors > MAX_MIRRORS) {
            throw new IllegalArgumentException(mirrors + " mirrors are not within 1.." + MAX_MIRRORS);
        }
        servers = List.copyOf(servers);
    }

    /** True if clients get layouts. */
    public boolean areUsed() {
        return !servers.isEmpty();
    }

    /** The data server of that id; null if there is none. */
    public @Nullable DataServer of(DeviceId id) {
        for (DataServer server : servers) {
            if (server.id().equals(id)) {
                return server;
            }
        }
        return null;
    }

    /**
     * The data servers of a layout, the preferred one first. A file has the same ones each time, and files are spread
     * over all.
     *
     * @param hash of the file
     * @param most how many the layout should name
     * @param isUsable false for data servers that the client cannot use now
     */
    public List<DeviceId> choose(int hash, int most, Predicate<DeviceId> isUsable) {
        List<DeviceId> chosen = new ArrayList<>();
        for (int i = 0; i < servers.size() && chosen.size() < most; i++) {
            DeviceId id = servers.get(Math.floorMod(hash + i, servers.size())).id();
            if (isUsable.test(id)) {
                chosen.add(id);
            }
        }
        return chosen;
    }
}
