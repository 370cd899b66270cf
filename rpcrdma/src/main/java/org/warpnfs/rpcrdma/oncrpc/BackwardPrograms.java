package org.warpnfs.rpcrdma.oncrpc;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAccepsStatus;
import org.dcache.oncrpc4j.rpc.RpcAuthType;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcMessageType;
import org.dcache.oncrpc4j.rpc.RpcReplyStatus;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The programs that a client serves on its own connection, for calls of the server (RFC 8167). They are ordinary
 * {@link RpcDispatchable}s, such as NFSv4.1's callback program.
 *
 * <p>Safe for any thread.
 */
public final class BackwardPrograms implements BackwardCalls {
    private final InboundHandler handler;

    /**
     * @param responder the address that the calls come from, for programs that ask for it
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
            // The call is answered with an error. The requester decides whether to go on.
        }

        @Override
        public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
            call.release();
            sent.accept("calls to the server must be made with the requester");
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

        /**
         * Answers with an error, because no program has answered or will. Without a reply the call would keep its
         * credit at both ends.
         */
        @Override
        public void drop() {
            end();
            arguments.rewind();
            reply.accept(ByteBuffer.allocate(6 * Integer.BYTES)
                    .putInt(arguments.readInt())
                    .putInt(RpcMessageType.REPLY)
                    .putInt(RpcReplyStatus.MSG_ACCEPTED)
                    .putInt(RpcAuthType.NONE)
                    .putInt(0)
                    .putInt(RpcAccepsStatus.SYSTEM)
                    .flip());
        }

        private void end() {
            if (!ended.compareAndSet(false, true)) {
                throw new IllegalStateException("a call ended twice");
            }
        }
    }
}
