package org.warpnfs.server.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of an administrator, which carries one request and one answer.
 *
 * <h2>Operation</h2>
 *
 * Runs on the event loop, except for the request itself, which runs on a thread of {@code threads}.
 *
 * <h2>Errors</h2>
 *
 * The connection ends if the request does not arrive within {@value #REQUEST_SECONDS} s, or the answer is not read
 * within {@value #ANSWER_SECONDS} s.
 */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    static final int REQUEST_SECONDS = 10;
    static final int ANSWER_SECONDS = 30;

    private static final Logger LOG = LoggerFactory.getLogger(AdminHandler.class);
    private static final int MAX_PARAMETERS = 16;

    private final AdminRoutes routes;
    private final Executor threads;
    private boolean asked;

    AdminHandler(AdminRoutes routes, Executor threads) {
        this.routes = routes;
        this.threads = threads;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        var _ = context.executor()
                .schedule(
                        () -> {
                            if (!asked) {
                                var _ = context.close();
                            }
                        },
                        REQUEST_SECONDS,
                        TimeUnit.SECONDS);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (asked) {
            // A connection carries one request only.
            return;
        }
        asked = true;
        if (!request.decoderResult().isSuccess()) {
            answer(context, AdminAnswer.error(400, "no HTTP request that could be understood"));
            return;
        }
        String method = request.method().name();
        String uri = request.uri();
        String body = request.content().toString(StandardCharsets.UTF_8);
        try {
            threads.execute(() -> {
                AdminAnswer answer = safely(() -> answerTo(method, uri, body));
                context.executor().execute(() -> answer(context, answer));
            });
        } catch (RejectedExecutionException e) {
            answer(
                    context,
                    AdminAnswer.error(
                            503,
                            "the server stops, or all that was asked before is still under way; the log has more"));
        }
    }

    /**
     * Runs the request and returns an answer even if memory runs out, since an unanswered connection would stay open.
     */
    private static AdminAnswer safely(Supplier<AdminAnswer> answering) {
        try {
            return answering.get();
        } catch (Throwable e) {
            LOG.error("a request of an administrator failed", e);
            return AdminAnswer.error(
                    500, "failed because of a bug of the server or a lack of memory; the log " + "has details");
        }
    }

    private AdminAnswer answerTo(String method, String uri, String body) {
        Map<String, String> parameters = new HashMap<>();
        String path;
        try {
            QueryStringDecoder decoder = new QueryStringDecoder(uri, StandardCharsets.UTF_8, true, MAX_PARAMETERS);
            path = decoder.path();
            for (Map.Entry<String, List<String>> parameter :
                    decoder.parameters().entrySet()) {
                if (parameter.getValue().size() > 1) {
                    return AdminAnswer.error(400, "a parameter occurs twice");
                }
                parameters.put(parameter.getKey(), parameter.getValue().getFirst());
            }
        } catch (IllegalArgumentException e) {
            return AdminAnswer.error(400, "no URI that could be understood");
        }
        return routes.answer(method, path, parameters, body);
    }

    private static void answer(ChannelHandlerContext context, AdminAnswer answer) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(answer.status()),
                Unpooled.wrappedBuffer(answer.bytes()));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        var _ = context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        var _ = context.executor()
                .schedule(
                        () -> {
                            var _ = context.close();
                        },
                        ANSWER_SECONDS,
                        TimeUnit.SECONDS);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("a connection of an administrator failed", cause);
        var _ = context.close();
    }
}
