package org.warpnfs.tools.iwarp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.schedule.Repeated;

/** Serves tests of one kind until it is closed. Safe for any thread. */
public final class TestServer implements AutoCloseable {
    private final ServerPlan plan;
    private final Consumer<String> lines;
    private final IwarpTransport transport;
    private final ScheduledExecutorService timer;
    private final Listener listener;
    private final CompletableFuture<Boolean> firstClient = new CompletableFuture<>();

    private TestServer(ServerPlan plan, Consumer<String> lines) throws IOException {
        this.plan = plan;
        this.lines = lines;
        this.transport = plan.kind() == TestKind.PING
                ? TestTransport.open(plan.mpa(), plan.fpdus())
                : TestTransport.openInOrder(plan.mpa(), plan.fpdus());
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("iwarp-test-timer").factory());
        try {
            this.listener = transport.listen(plan.listen(), handler());
        } catch (IOException e) {
            close();
            throw e;
        } catch (OutOfMemoryError e) {
            close();
            throw new IOException(TestTransport.noMemory(plan.sizeBytes(), e), e);
        }
    }

    /**
     * Starts to listen.
     *
     * @param lines receives a line about each client that has ended, on any thread
     * @throws IOException if it cannot listen there, or there is no memory for messages of that size
     */
    public static TestServer start(ServerPlan plan, Consumer<String> lines) throws IOException {
        return new TestServer(plan, lines);
    }

    private ConnectionRequestHandler handler() {
        String words = plan.reject();
        if (words != null) {
            return request -> reject(request, words);
        }
        if (plan.kind() == TestKind.PING) {
            PingListener pings = new PingListener(plan, this::ended);
            eachSecond(pings::lookForSilence);
            return pings;
        }
        PerftestServer server = new PerftestServer(plan, this::ended);
        eachSecond(server::lookForSilence);
        return server;
    }

    private void eachSecond(LongConsumer lookForSilence) {
        var _ = Repeated.inPeriods(timer, Duration.ofSeconds(1), () -> lookForSilence.accept(System.nanoTime()));
    }

    private void reject(ConnectionRequest request, String words) {
        request.reject(ByteBuffer.wrap(words.getBytes(StandardCharsets.UTF_8)));
        lines.accept(HostText.of(request.remoteAddress()) + ": refused");
    }

    private void ended(boolean well, String line) {
        lines.accept(line + (well ? "" : ", failed"));
        firstClient.complete(well);
    }

    public InetSocketAddress localAddress() {
        return listener.localAddress();
    }

    /** Completes at the end of the first client, with whether its test succeeded. */
    public CompletableFuture<Boolean> firstClient() {
        return firstClient;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        transport.close();
    }
}
