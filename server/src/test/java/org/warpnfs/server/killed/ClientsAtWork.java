package org.warpnfs.server.killed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Clients that run in parallel during one life of the server, each on its own thread. A failure of one client fails the
 * methods that wait.
 */
final class ClientsAtWork {
    private static final int SECONDS = 180;

    private final List<CompletableFuture<Void>> recovered = new ArrayList<>();
    private final List<CompletableFuture<Void>> ended = new ArrayList<>();

    /** Starts the clients. */
    ClientsAtWork(List<VerifyingClient> clients, Life life, Executor threads) {
        for (VerifyingClient client : clients) {
            CompletableFuture<Void> back = new CompletableFuture<>();
            recovered.add(back);
            ended.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            client.live(life, () -> back.complete(null));
                        } catch (Exception | AssertionError e) {
                            back.completeExceptionally(e);
                            throw new AssertionError(e.getMessage(), e);
                        }
                    },
                    threads));
        }
    }

    /** Returns once each client has recovered what it had on the previous server. */
    void awaitRecovered() throws Exception {
        all(recovered);
    }

    /** Returns once each client has seen the server end. */
    void awaitEnded() throws Exception {
        all(ended);
    }

    private static void all(List<CompletableFuture<Void>> futures) throws Exception {
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
    }
}
