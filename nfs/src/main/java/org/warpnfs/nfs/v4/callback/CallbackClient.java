package org.warpnfs.nfs.v4.callback;

import java.io.IOException;
import java.nio.channels.CompletionHandler;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.state.CallbackCall;
import org.warpnfs.nfs.v4.state.CallbackOutcome;
import org.warpnfs.nfs.v4.state.CallbackSender;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/**
 * Sends callbacks as RPC calls in the backward direction of a client's own connection.
 *
 * <h2>Operation</h2>
 *
 * XIDs are the server's own, from one counter for all connections. Nothing waits here: the reply comes on whatever thread the
 * transport runs its handlers on. A call that is never answered stays in its connection's reply queue until that ends; the slots of a
 * session bound how many there can be.
 *
 * <h2>Errors</h2>
 *
 * Whatever keeps a call from being answered is {@link CallbackOutcome.Failed} and one line in the debug log. Safe for any thread.
 */
public final class CallbackClient implements CallbackSender {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackClient.class);

    private final BiConsumer<CallbackCall, CallbackOutcome> ended;
    private final AtomicInteger xids = new AtomicInteger(new SecureRandom().nextInt());

    /** @param ended hears of every call how it ended */
    public CallbackClient(BiConsumer<CallbackCall, CallbackOutcome> ended) {
        this.ended = ended;
    }

    @Override
    public void send(CallbackCall call) {
        switch (call.target()) {
            case CallbackCall.Bound bound -> send(call, (RpcTransport) bound.connection());
            case CallbackCall.Dialed _ -> ended.accept(call, new CallbackOutcome.Failed());
        }
    }

    private void send(CallbackCall call, RpcTransport transport) {
        int xid = xids.incrementAndGet();
        Exchange exchange = new Exchange(xid, call, transport);
        try {
            transport.getReplyQueue().registerKey(xid, transport.getLocalSocketAddress(), exchange);
            XdrWriter message = CallbackMessage.encode(xid, call);
            Xdr xdr = new Xdr(message.position());
            xdr.beginEncoding();
            message.writeTo(xdr);
            xdr.endEncoding();
            transport.send(xdr, transport, exchange.sending);
        } catch (IOException | RuntimeException e) {
            exchange.giveUp(e);
        }
    }

    /** One call, from its sending to its end, which is told once. */
    private final class Exchange implements CompletionHandler<RpcReply, RpcTransport> {
        private final int xid;
        private final CallbackCall call;
        private final RpcTransport transport;

        final CompletionHandler<Integer, RpcTransport> sending = new CompletionHandler<>() {
            @Override
            public void completed(Integer lengthBytes, RpcTransport on) {
                // The reply tells.
            }

            @Override
            public void failed(Throwable why, RpcTransport on) {
                giveUp(why);
            }
        };

        Exchange(int xid, CallbackCall call, RpcTransport transport) {
            this.xid = xid;
            this.call = call;
            this.transport = transport;
        }

        @Override
        public void completed(RpcReply reply, RpcTransport on) {
            try {
                ended.accept(call, outcome(reply));
            } catch (IOException | RuntimeException e) {
                failed(e, on);
            }
        }

        private CallbackOutcome outcome(RpcReply reply) throws IOException {
            return switch (call) {
                case CallbackCall.Null _ -> new CallbackOutcome.Done();
                case CallbackCall.Recall _ -> decoded(reply, CallbackMessage::decode);
                case CallbackCall.PlainRecall _ -> decoded(reply, CallbackMessage::decodePlain);
            };
        }

        private CallbackOutcome decoded(RpcReply reply, Decoder decoder) throws IOException {
            CompoundResult result = new CompoundResult(decoder);
            reply.getReplyResult(result);
            if (result.outcome == null) {
                throw new IOException("the client's reply is no CB_COMPOUND4res");
            }
            return result.outcome;
        }

        @Override
        public void failed(Throwable why, RpcTransport on) {
            LOG.debug("{}: callback {} failed: {}", transport, xid, why.toString());
            ended.accept(call, new CallbackOutcome.Failed());
        }

        /** Nobody else may find it in the queue any more. */
        void giveUp(Throwable why) {
            try {
                transport.getReplyQueue().get(xid);
            } finally {
                failed(why, transport);
            }
        }
    }

    @FunctionalInterface
    private interface Decoder {
        CallbackOutcome.Compound decode(XdrReader in) throws Nfs4Exception;
    }

    private static final class CompoundResult implements XdrAble {
        private final Decoder decoder;
        private CallbackOutcome.@Nullable Compound outcome;

        CompoundResult(Decoder decoder) {
            this.decoder = decoder;
        }

        @Override
        public void xdrDecode(XdrDecodingStream stream) {
            try {
                outcome = decoder.decode(new XdrReader((Xdr) stream));
            } catch (Nfs4Exception e) {
                outcome = null;
            }
        }

        @Override
        public void xdrEncode(XdrEncodingStream stream) {
            throw new UnsupportedOperationException("a result is only decoded here");
        }
    }
}
