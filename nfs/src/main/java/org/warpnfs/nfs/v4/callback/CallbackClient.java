package org.warpnfs.nfs.v4.callback;

import java.io.IOException;
import java.nio.channels.CompletionHandler;
import java.security.SecureRandom;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcRejectedException;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.callback.CallbackSender;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * Sends callbacks as RPC calls: in the backward direction of a client's own connection, or, to an NFSv4.0 client, on a
 * connection that the server makes.
 *
 * <h2>Operation</h2>
 *
 * XIDs are the server's own, from one counter for all connections. Nothing waits here: the reply arrives on a thread of
 * the transport. A call that is not answered in time has failed, and is removed from the reply queue. If the server
 * made the connection, the connection is closed then.
 *
 * <h2>Errors</h2>
 *
 * Every failure becomes {@link CallbackOutcome.Failed} and one line in the debug log. Safe for any thread.
 */
public final class CallbackClient implements CallbackSender, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackClient.class);

    private final BiConsumer<CallbackCall, CallbackOutcome> ended;
    private final CallbackDialer dialer;
    private final DialedConnections connections;
    private final AtomicInteger xids = new AtomicInteger(new SecureRandom().nextInt());

    /** @param ended is told the outcome of every call */
    public CallbackClient(CallbackDialer dialer, BiConsumer<CallbackCall, CallbackOutcome> ended) {
        this.dialer = dialer;
        this.connections = new DialedConnections(dialer);
        this.ended = ended;
    }

    @Override
    public void send(CallbackCall call) {
        switch (call.target()) {
            case CallbackCall.Bound bound ->
                new Exchange(call, outcome -> ended.accept(call, outcome))
                        .sendInTimeOn((RpcTransport) bound.connection());
            case CallbackCall.Dialed dialed -> new DialedCall(call, dialed).start();
        }
    }

    /** Closes the connections that the server made. Calls to NFSv4.0 clients fail from now on. */
    @Override
    public void close() {
        connections.close();
    }

    /** A call that first needs a connection. */
    private final class DialedCall implements DialedConnections.Borrower {
        private final CallbackCall call;
        private final CallbackCall.Dialed target;
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile @Nullable Future<?> deadline;

        DialedCall(CallbackCall call, CallbackCall.Dialed target) {
            this.call = call;
            this.target = target;
        }

        void start() {
            deadline = dialer.after(CallbackCall.PATIENCE_NANOS, this::overdue);
            connections.borrow(target, this);
        }

        private void overdue() {
            if (end(new CallbackOutcome.Failed())) {
                connections.drop(target);
            }
        }

        @Override
        public void lent(DialedConnections.Line line) {
            if (over.get()) {
                connections.giveBack(line);
                return;
            }
            new Exchange(call, outcome -> {
                        connections.giveBack(line);
                        end(outcome);
                    })
                    .sendOn(line.connection().transport());
        }

        @Override
        public void failed(IOException why) {
            LOG.debug("{}: {}", target.address().socket(), why.getMessage());
            end(new CallbackOutcome.Failed());
        }

        /** Ends the call with an outcome. Returns true if it had not ended before. */
        private boolean end(CallbackOutcome outcome) {
            if (!over.compareAndSet(false, true)) {
                return false;
            }
            Future<?> pending = deadline;
            if (pending != null) {
                pending.cancel(false);
            }
            ended.accept(call, outcome);
            return true;
        }
    }

    /** One call, from its sending to its end, which is reported once. */
    private final class Exchange implements CompletionHandler<RpcReply, RpcTransport> {
        private final int xid = xids.incrementAndGet();
        private final CallbackCall call;
        private final Consumer<CallbackOutcome> end;
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile @Nullable Future<?> deadline;
        /** Null for a credential without keys. */
        private volatile @Nullable GssExchange secured;

        private final CompletionHandler<Integer, RpcTransport> sending = new CompletionHandler<>() {
            @Override
            public void completed(Integer lengthBytes, RpcTransport on) {
                // The reply decides the outcome.
            }

            @Override
            public void failed(Throwable why, RpcTransport on) {
                giveUp(on, why);
            }
        };

        Exchange(CallbackCall call, Consumer<CallbackOutcome> end) {
            this.call = call;
            this.end = end;
        }

        /**
         * Sends the call with a time limit on a connection that the client made. The connection stays open if there is
         * no answer.
         */
        void sendInTimeOn(RpcTransport transport) {
            deadline = dialer.after(
                    CallbackCall.PATIENCE_NANOS, () -> giveUp(transport, new IOException("not answered in time")));
            sendOn(transport);
        }

        void sendOn(RpcTransport transport) {
            try {
                transport.getReplyQueue().registerKey(xid, transport.getLocalSocketAddress(), this);
                CompoundWriter message = message();
                Xdr xdr = new Xdr(message.position());
                xdr.beginEncoding();
                message.writeTo(xdr);
                xdr.endEncoding();
                transport.send(xdr, transport, sending);
            } catch (IOException | RuntimeException e) {
                giveUp(transport, e);
            }
        }

        private CompoundWriter message() throws IOException {
            return switch (call.target().credential()) {
                case CallbackCredential.Plain plain -> CallbackMessage.encode(xid, call, plain);
                case CallbackCredential.Gss gss -> {
                    GssExchange exchange = new GssExchange(gss);
                    secured = exchange;
                    yield CallbackMessage.encode(xid, call, exchange);
                }
            };
        }

        @Override
        public void completed(RpcReply reply, RpcTransport on) {
            CallbackOutcome outcome;
            try {
                outcome = outcome(reply);
            } catch (IOException | RuntimeException e) {
                failed(e, on);
                return;
            }
            end(outcome);
        }

        private CallbackOutcome outcome(RpcReply reply) throws IOException {
            return switch (call) {
                case CallbackCall.Null _ -> secured == null ? new CallbackOutcome.Done() : verified(reply);
                case CallbackCall.InSession _ -> decoded(reply, CallbackMessage::decode);
                case CallbackCall.PlainRecall _, CallbackCall.PlainGetAttr _ ->
                    decoded(reply, CallbackMessage::decodePlain);
            };
        }

        /** A reply without results. */
        private CallbackOutcome verified(RpcReply reply) throws IOException {
            var _ = decoded(reply, _ -> new CallbackOutcome.Compound(0, 0));
            return new CallbackOutcome.Done();
        }

        private CallbackOutcome decoded(RpcReply reply, Decoder decoder) throws IOException {
            CompoundResult result = new CompoundResult(decoder, secured);
            reply.getReplyResult(result);
            if (result.outcome == null) {
                throw result.refusal == null
                        ? new IOException("the client's reply is not a CB_COMPOUND4res")
                        : result.refusal;
            }
            return result.outcome;
        }

        @Override
        public void failed(Throwable why, RpcTransport on) {
            if (why instanceof OncRpcRejectedException
                    && call.target().credential() instanceof CallbackCredential.Gss gss) {
                gss.context().refused();
            }
            LOG.atDebug()
                    .addKeyValue("xid", () -> Integer.toHexString(xid))
                    .log("{}: a callback failed: {}", on, why.toString());
            end(new CallbackOutcome.Failed());
        }

        private void end(CallbackOutcome outcome) {
            if (over.compareAndSet(false, true)) {
                Future<?> pending = deadline;
                if (pending != null) {
                    pending.cancel(false);
                }
                end.accept(outcome);
            }
        }

        /** Ends the call with a failure, and removes it from the reply queue. */
        private void giveUp(RpcTransport transport, Throwable why) {
            try {
                transport.getReplyQueue().get(xid);
            } finally {
                failed(why, transport);
            }
        }
    }

    @FunctionalInterface
    private interface Decoder {
        CallbackOutcome.Compound decode(CompoundReader in) throws Nfs4Exception;
    }

    private static final class CompoundResult implements XdrAble {
        private final Decoder decoder;
        private final @Nullable GssExchange secured;
        private CallbackOutcome.@Nullable Compound outcome;
        private @Nullable IOException refusal;

        CompoundResult(Decoder decoder, @Nullable GssExchange secured) {
            this.decoder = decoder;
            this.secured = secured;
        }

        @Override
        public void xdrDecode(XdrDecodingStream stream) {
            try {
                Xdr xdr = (Xdr) stream;
                outcome = decoder.decode(secured == null ? new CompoundReader(xdr) : secured.open(xdr));
            } catch (Nfs4Exception e) {
                outcome = null;
            } catch (IOException e) {
                refusal = e;
            }
        }

        @Override
        public void xdrEncode(XdrEncodingStream stream) {
            throw new UnsupportedOperationException("a result is only decoded here");
        }
    }
}
