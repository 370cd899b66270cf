package org.warpnfs.rpcrdma.oncrpc;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Programs that a client serves on its own connection, for the server to call back (RFC 8167): ordinary {@link RpcDispatchable}s, such as
 * NFSv4.1's callback program.
 *
 * <p>Safe for any thread.
 */
public final class BackwardPrograms implements BackwardCalls {
    private final InboundHandler handler;

    /**
     * @param responder where the calls come from, for programs that ask
     * @param executor runs the programs
     */
    public BackwardPrograms(
            Map<OncRpcProgram, RpcDispatchable> programs, Executor executor, InetSocketAddress responder) {
        OncRpcDispatcher dispatcher =
                new OncRpcDispatcher(programs, executor, new TransportStatistics(), transport -> {});
        handler = dispatcher.opened(new Origin(responder));
    }

    @Override
    public void call(ByteBuffer call, Consumer<ByteBuffer> reply) {
        handler.call(new BackwardCall(XdrStream.of(call), reply));
    }

    private record Origin(InetSocketAddress remoteAddress) implements RpcConnection {
        @Override
        public InetSocketAddress localAddress() {
            return new InetSocketAddress(0);
        }

        @Override
        public boolean open() {
            return true;
        }

        @Override
        public void abort(String reason) {
            // The call stays unanswered, and the responder's own watch ends the connection.
        }

        @Override
        public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
            call.release();
            sent.accept("calls to the server go by the requester");
        }
    }

    private static final class BackwardCall implements InboundCall {
        private final XdrStream arguments;
        private final Consumer<ByteBuffer> reply;
        private final AtomicBoolean ended = new AtomicBoolean();

        BackwardCall(XdrStream arguments, Consumer<ByteBuffer> reply) {
            this.arguments = arguments;
            this.reply = reply;
        }

        @Override
        public XdrStream arguments() {
            return arguments;
        }

        @Override
        public void reply(RpcMessage message) {
            ByteBuffer flat = message.flatten();
            end();
            reply.accept(flat);
        }

        @Override
        public void drop() {
            end();
        }

        private void end() {
            if (!ended.compareAndSet(false, true)) {
                throw new IllegalStateException("a call ended twice");
            }
        }
    }
}
