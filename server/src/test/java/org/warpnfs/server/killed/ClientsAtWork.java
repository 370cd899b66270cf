package org.warpnfs.server.killed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Clients that work side by side, each on a thread of its own, during one life of the server. What fails in one of them
 * fails whoever waits for them.
 */
final class ClientsAtWork {
    private static final int SECONDS = 180;

    private final List<CompletableFuture<Void>> recovered = new ArrayList<>();
    private final List<CompletableFuture<Void>> ended = new ArrayList<>();

    /** Lets them begin. */
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

    /** Returns once each has back what it had from the server before. */
    void awaitRecovered() throws Exception {
        all(recovered);
    }

    /** Returns once each has seen the end of the server. */
    void awaitEnded() throws Exception {
        all(ended);
    }

    private static void all(List<CompletableFuture<Void>> futures) throws Exception {
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
    }
}
