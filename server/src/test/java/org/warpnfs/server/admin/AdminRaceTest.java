package org.warpnfs.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.config.ConfigException;

/** Administrators evict clients and revoke state while clients return and take it again, all at the same time. */
@Timeout(300)
class AdminRaceTest {
    private static final int CLIENTS = 3;
    private static final int EVICTIONS = 60;

    @TempDir
    Path directory;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger opened = new AtomicInteger();

    /** Opens and locks files as a new client, again and again. After each eviction it returns as another client. */
    private Void useAndComeBack(AdminFixture fixture, int minor, String name) throws Exception {
        for (int lives = 0; !over.get(); lives++) {
            try (StateHolder holder =
                    fixture.holder(minor, name + ", life " + lives).introduced()) {
                for (int i = 0; !over.get() && holder.renew() == StateHolder.OK; i++) {
                    if (holder.open("file" + i % 3) == StateHolder.OK) {
                        opened.incrementAndGet();
                        holder.lock("locker" + i % 5, 10L * i, 5);
                    }
                }
            } catch (IOException | AssertionError e) {
                // The client was evicted in the middle of a call.
            }
        }
        return null;
    }

    /** Evicts every client that has something open. A listed client may be gone before it is evicted. */
    private Void evict(AdminFixture fixture) throws Exception {
        for (int done = 0; done < EVICTIONS; ) {
            for (JsonNode client : fixture.rows("/v1/clients?limit=1000")) {
                if (client.path("opens").asInt() == 0) {
                    continue;
                }
                try {
                    fixture.client.post(
                            "/v1/evict", Map.of("client", client.path("id").asText()));
                    done++;
                } catch (ConfigException e) {
                    assertThat(e).hasMessageContaining("no such client");
                }
            }
        }
        return null;
    }

    private Void lookAndUnlock(AdminFixture fixture) throws Exception {
        while (!over.get()) {
            for (String table : List.of("clients", "sessions", "opens", "locks", "delegations", "connections")) {
                assertThat(fixture.client.get("/v1/" + table + "?limit=1000").has("rows"))
                        .as(table)
                        .isTrue();
            }
            for (JsonNode lock : fixture.rows("/v1/locks")) {
                fixture.client.post("/v1/unlock", Map.of("lock", lock.path("id").asText()));
            }
            fixture.client.post("/v1/reload", Map.of());
            fixture.client.post("/v1/grace/end", Map.of());
        }
        return null;
    }

    @Test
    void evictUnlockReloadAndListings_amidLiveClients_leaveNothingBehind() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Void>> others = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int minor = i % 2;
                String name = "client " + i;
                others.add(threads.submit(() -> useAndComeBack(fixture, minor, name)));
            }
            others.add(threads.submit(() -> lookAndUnlock(fixture)));
            try {
                evict(fixture);
            } finally {
                over.set(true);
            }
            for (Future<Void> other : others) {
                other.get();
            }
            assertThat(opened.get()).isPositive();
            for (JsonNode client : fixture.rows("/v1/clients?limit=1000")) {
                fixture.client.post(
                        "/v1/evict", Map.of("client", client.path("id").asText()));
            }
            for (String table : List.of("clients", "sessions", "opens", "locks", "delegations")) {
                assertThat(fixture.rows("/v1/" + table)).as(table).isEmpty();
            }
            Map<String, Long> counters = fixture.server.counters();
            assertThat(counters).containsEntry("state_opens", 0L).containsEntry("state_locks", 0L);
            try (StateHolder after = fixture.holder(1, "after").introduced()) {
                assertThat(after.open("file0")).isZero();
                assertThat(after.lock("locker", 0, -1)).isZero();
            }
        }
    }
}
