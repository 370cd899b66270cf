package org.warpnfs.server.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;

/**
 * Sends requests to a server's Unix socket. Each request has its own connection; the calling thread waits.
 *
 * <h2>Errors</h2>
 *
 * If no server answers, or it refuses the request, a {@link ConfigException} says so in one line.
 */
public final class AdminClient {
    /** The time limit of a request: a reload may wait for name servers, and an unlock looks at every lock. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int MAX_ANSWER_BYTES = 64 << 20;
    private static final int READ_BYTES = 64 << 10;
    private static final int FIRST_ERROR = 400;

    private final Path socket;

    public AdminClient(Path socket) {
        this.socket = socket;
    }

    /** Sends GET with a path and its query. */
    public JsonNode get(String uri) throws ConfigException {
        return ask(HttpMethod.GET, uri, null);
    }

    /** Sends POST with a JSON object of these texts. */
    public JsonNode post(String uri, Map<String, String> body) throws ConfigException {
        return ask(HttpMethod.POST, uri, body);
    }

    /** Sends PUT with a JSON object of these texts. */
    public JsonNode put(String uri, Map<String, String> body) throws ConfigException {
        return ask(HttpMethod.PUT, uri, body);
    }

    private JsonNode ask(HttpMethod method, String uri, @Nullable Map<String, String> body) throws ConfigException {
        Answer answer = exchange(method, uri, body);
        JsonNode json;
        try {
            json = AdminAnswer.MAPPER.readTree(answer.body());
        } catch (JsonProcessingException e) {
            throw new ConfigException(socket + ": the answer is not JSON", e);
        }
        if (answer.status() >= FIRST_ERROR) {
            throw new ConfigException(json.path("error")
                    .asText("the server answers with status " + answer.status())
                    .lines()
                    .toList());
        }
        return json;
    }

    /** The answer of the server. */
    record Answer(int status, String body) {}

    Answer exchange(HttpMethod method, String uri, @Nullable Map<String, String> body) throws ConfigException {
        EmbeddedChannel codec = new EmbeddedChannel(new HttpClientCodec(), new HttpObjectAggregator(MAX_ANSWER_BYTES));
        try (SocketChannel channel = connect()) {
            Thread patience = Thread.ofVirtual().start(() -> closeLate(channel));
            try {
                codec.writeOutbound(request(method, uri, body));
                send(codec, channel);
                return receive(codec, channel);
            } finally {
                patience.interrupt();
            }
        } catch (IOException e) {
            throw new ConfigException(
                    "the server at " + socket + " did not answer: "
                            + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()),
                    e);
        } finally {
            codec.finishAndReleaseAll();
        }
    }

    private SocketChannel connect() throws ConfigException {
        try {
            return SocketChannel.open(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            throw new ConfigException(
                    "no server answers at " + socket + " (" + e.getMessage()
                            + "); name another socket with --admin PATH or WARPNFS_ADMIN",
                    e);
        }
    }

    private static void closeLate(SocketChannel channel) {
        try {
            Thread.sleep(PATIENCE);
            channel.close();
        } catch (InterruptedException | IOException e) {
            // The answer has arrived, or the channel is closed anyway.
        }
    }

    private static FullHttpRequest request(HttpMethod method, String uri, @Nullable Map<String, String> body) {
        byte[] json = body == null ? new byte[0] : AdminAnswer.of(body).bytes();
        FullHttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, method, uri, Unpooled.wrappedBuffer(json));
        request.headers()
                .set(HttpHeaderNames.HOST, "localhost")
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.CONTENT_LENGTH, json.length);
        return request;
    }

    private static void send(EmbeddedChannel codec, SocketChannel channel) throws IOException {
        for (ByteBuf bytes = codec.readOutbound(); bytes != null; bytes = codec.readOutbound()) {
            try {
                for (ByteBuffer part : bytes.nioBuffers()) {
                    while (part.hasRemaining()) {
                        channel.write(part);
                    }
                }
            } finally {
                bytes.release();
            }
        }
    }

    private static Answer receive(EmbeddedChannel codec, SocketChannel channel) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(READ_BYTES);
        while (true) {
            FullHttpResponse response = codec.readInbound();
            if (response != null) {
                try {
                    return new Answer(
                            response.status().code(), response.content().toString(StandardCharsets.UTF_8));
                } finally {
                    response.release();
                }
            }
            if (channel.read(part.clear()) < 0) {
                throw new IOException("it closed the connection; only its own user and root may use the socket");
            }
            codec.writeInbound(Unpooled.copiedBuffer(part.flip()));
        }
    }
}
