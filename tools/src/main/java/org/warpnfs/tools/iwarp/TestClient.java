package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.QueuePair;

/** Runs one test as its client. */
public final class TestClient {
    private TestClient() {}

    /**
     * Runs a test to its end, on the calling thread and with its own transport.
     *
     * @param intervalSeconds the interval of progress lines; 0 for none
     * @param lines receives these lines
     * @throws TestFailure if it does not complete, or there is no memory for messages of that size
     */
    public static Summary run(ClientPlan plan, int intervalSeconds, Consumer<String> lines)
            throws TestFailure, InterruptedException {
        Progress progress = new Progress(intervalSeconds, plan.patienceSeconds(), lines);
        try (IwarpTransport transport = TestTransport.open(plan.mpa(), plan.fpdus())) {
            return plan.kind() == TestKind.PING
                    ? ping(plan, transport, progress)
                    : new PerftestClient(plan, transport.connector(), progress, PerftestClient.PAUSE_MILLIS).run();
        } catch (OutOfMemoryError e) {
            throw new TestFailure(TestTransport.noMemory(plan.sizeBytes(), e), e);
        }
    }

    private static Summary ping(ClientPlan plan, IwarpTransport transport, Progress progress)
            throws TestFailure, InterruptedException {
        Meter meter = new Meter();
        CompletableFuture<Void> anyFailed = new CompletableFuture<>();
        List<PingClient> clients = new ArrayList<>();
        List<QueuePair> queuePairs = new ArrayList<>();
        for (int i = 0; i < plan.connections(); i++) {
            PingClient client = new PingClient(plan, meter);
            var _ = client.done().whenComplete((nothing, failure) -> {
                if (failure != null) {
                    anyFailed.completeExceptionally(failure);
                }
            });
            transport.connector().connect(plan.server(), new ConnectOptions(ByteBuffer.allocate(0), 1, 1), client);
            clients.add(client);
            // One after the other: rping listens with a backlog of three, and further connections fail.
            queuePairs.add(progress.await(client.connected(), "connecting"));
        }
        meter.restart();
        for (int i = 0; i < plan.connections(); i++) {
            PingClient client = clients.get(i);
            QueuePair queuePair = queuePairs.get(i);
            queuePair.execute(() -> client.start(queuePair));
        }
        CompletableFuture<?>[] all = clients.stream().map(PingClient::done).toArray(CompletableFuture<?>[]::new);
        progress.await(CompletableFuture.anyOf(anyFailed, CompletableFuture.allOf(all)), meter, "ping");
        return meter.summary();
    }
}
