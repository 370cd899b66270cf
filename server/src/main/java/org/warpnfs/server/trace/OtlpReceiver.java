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
 * Sends traces to an OTLP receiver over HTTP.
 *
 * <h2>Buffers</h2>
 *
 * Answers are not stored. If an answer has more than {@value #MAX_ANSWER_BYTES} bytes, reading ends and the connection
 * is closed.
 *
 * <h2>Errors</h2>
 *
 * A receiver has a limited time for its whole answer. The library's own exporter limits only the time to the first
 * line, and accepts a body of any length. Not safe for several threads, except {@link #close}.
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
     * Sends a request and waits for its acceptance.
     *
     * @param request an encoded ExportTraceServiceRequest
     * @throws IOException if it is not accepted in time
     */
    void send(byte[] request) throws IOException, InterruptedException {
        boolean taken = false;
        try {
            exchange(request);
            taken = true;
        } finally {
            if (!taken) {
                // Otherwise the client would keep a connection open on which no HTTP was spoken, and one more each
                // time.
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
            throw new IOException("no complete answer within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e.getCause());
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    /** Counts the bytes of a body and discards them. */
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
