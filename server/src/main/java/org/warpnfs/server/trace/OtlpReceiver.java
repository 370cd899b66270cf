package org.warpnfs.server.trace;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Whoever takes traces, over HTTP.
 *
 * <h2>Buffers</h2>
 *
 * Of an answer nothing is kept. One of more than {@value #MAX_ANSWER_BYTES} bytes is not read further, and its
 * connection is closed.
 *
 * <h2>Errors</h2>
 *
 * A receiver has a limited time for its whole answer; the library's exporter limits the time to its first line alone,
 * and takes a body of any length. One thread's, but for its end.
 */
final class OtlpReceiver implements AutoCloseable {
    static final int MAX_ANSWER_BYTES = 64 << 10;
    private static final int SUCCESSES = 2;

    private final URI endpoint;
    private final Duration timeout;
    private volatile HttpClient client;

    OtlpReceiver(URI endpoint, Duration timeout) {
        this.endpoint = endpoint;
        this.timeout = timeout;
        this.client = newClient(timeout);
    }

    private static HttpClient newClient(Duration timeout) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .build();
    }

    /**
     * Sends a request, and waits until it is taken.
     *
     * @param request ExportTraceServiceRequest
     * @throws IOException if it is not taken, or not in time
     */
    void send(byte[] request) throws IOException, InterruptedException {
        boolean taken = false;
        try {
            exchange(request);
            taken = true;
        } finally {
            if (!taken) {
                // The client would keep a connection open on which no HTTP was spoken, and one more each time.
                client.shutdownNow();
                client = newClient(timeout);
            }
        }
    }

    private void exchange(byte[] request) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<Void>> answer = client.sendAsync(
                HttpRequest.newBuilder(endpoint)
                        .timeout(timeout)
                        .header("Content-Type", "application/x-protobuf")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(request))
                        .build(),
                _ -> new Unread());
        try {
            int status = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS).statusCode();
            if (status / 100 != SUCCESSES) {
                throw new IOException("HTTP status " + status);
            }
        } catch (TimeoutException e) {
            throw new IOException("no whole answer within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e.getCause());
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    /** Counts a body, and forgets it. */
    private static final class Unread implements HttpResponse.BodySubscriber<Void> {
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private Flow.@Nullable Subscription subscription;
        private long lengthBytes;

        @Override
        public CompletionStage<Void> getBody() {
            return end;
        }

        @Override
        public void onSubscribe(Flow.Subscription begun) {
            subscription = begun;
            begun.request(1);
        }

        @Override
        public void onNext(List<ByteBuffer> pieces) {
            Flow.Subscription of = subscription;
            for (ByteBuffer piece : pieces) {
                lengthBytes += piece.remaining();
            }
            if (of == null || end.isDone()) {
                return;
            }
            if (lengthBytes > MAX_ANSWER_BYTES) {
                of.cancel();
                end.completeExceptionally(new IOException("an answer of more than " + MAX_ANSWER_BYTES + " bytes"));
            } else {
                of.request(1);
            }
        }

        @Override
        public void onError(Throwable why) {
            end.completeExceptionally(why);
        }

        @Override
        public void onComplete() {
            end.complete(null);
        }
    }
}
