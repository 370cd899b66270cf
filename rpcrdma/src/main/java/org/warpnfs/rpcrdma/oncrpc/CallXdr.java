package org.warpnfs.rpcrdma.oncrpc;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * The Xdr of one call and of its reply. oncrpc4j decodes the call from it and encodes the reply into the same object.
 *
 * <h2>Operation</h2>
 *
 * Payloads are encoded as in {@link EncodingXdr}. So are opaques and strings that {@link UpperLayerBindings} calls
 * eligible. A program may continue the call in another lane or later. The object belongs to the call from its arguments
 * to its reply, whichever thread runs it.
 *
 * <h2>Buffers</h2>
 *
 * Owns the payloads from their encoding until the reply is sent. Encoding a second reply before the first is sent
 * releases the payloads of the first.
 *
 * <h2>Errors</h2>
 *
 * A second reply to one call is logged and dropped.
 */
final class CallXdr extends EncodingXdr implements CallLanes, CallOnThread.Described {
    private static final Logger LOG = LoggerFactory.getLogger(CallXdr.class);

    /**
     * XID, direction, reply status, and the verifier's flavor. The verifier's bytes follow, which look like an eligible
     * opaque to the encoder (RFC 5531, section 9).
     */
    private static final int BEFORE_VERIFIER_BYTES = 4 * Integer.BYTES;

    private final InboundCall call;
    private final ConnectionTransport transport;
    private final OncRpcDispatcher dispatcher;
    private final Lane lane;
    private boolean hasLeftLoop;
    private final long arrivedNanos;
    private final long begunNanos = System.nanoTime();
    private final AtomicBoolean answered = new AtomicBoolean();
    /** Written by the thread that parses the header, before the call is passed to another thread. */
    private int xid;

    /** Written before the call is answered, by the thread that answers it. */
    private @Nullable Runnable left;

    private volatile @Nullable Thread encoder;
    private volatile @Nullable RpcCall rpc;
    private volatile UpperLayerBindings.Eligible eligible = UpperLayerBindings.Eligible.NOTHING;

    CallXdr(
            InboundCall call,
            ConnectionTransport transport,
            OncRpcDispatcher dispatcher,
            Lane lane,
            long arrivedNanos) {
        super(call.arguments());
        this.call = call;
        this.transport = transport;
        this.dispatcher = dispatcher;
        this.lane = lane;
        this.arrivedNanos = arrivedNanos;
    }

    /** The XID was read. */
    void named(int callXid) {
        xid = callXid;
    }

    /** The header was parsed, and the call has a program. */
    void begun(RpcCall parsed, UpperLayerBindings bindings) {
        rpc = parsed;
        eligible = bindings.of(parsed.getProgram(), parsed.getProgramVersion(), parsed.getProcedure());
    }

    @Override
    public void xdrEncodeDynamicOpaque(byte[] opaque) {
        encodeCounted(opaque, eligible.opaques());
    }

    @Override
    public void xdrEncodeString(@Nullable String string) {
        encodeCounted((string == null ? "" : string).getBytes(StandardCharsets.UTF_8), eligible.strings());
    }

    private void encodeCounted(byte[] bytes, boolean isEligible) {
        if (isEligible && _buffer.position() > BEFORE_VERIFIER_BYTES) {
            xdrEncodeByteBuffer(ByteBuffer.wrap(bytes));
        } else {
            super.xdrEncodeDynamicOpaque(bytes);
        }
    }

    @Override
    public int xid() {
        return xid;
    }

    @Override
    public String peer() {
        InetSocketAddress remote = transport.remoteAddress();
        InetAddress address = remote.getAddress();
        if (address == null) {
            return remote.toString();
        }
        String host = address.getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + remote.getPort();
    }

    @Override
    public String transportName() {
        return transport.transportName();
    }

    @Override
    public CallOnThread.@Nullable Procedure procedure() {
        RpcCall parsed = rpc;
        return parsed == null
                ? null
                : new CallOnThread.Procedure(
                        Integer.toUnsignedLong(parsed.getProgram()),
                        Integer.toUnsignedLong(parsed.getProgramVersion()),
                        Integer.toUnsignedLong(parsed.getProcedure()));
    }

    @Override
    public ClientAddress client() {
        return transport.client();
    }

    @Override
    public Lane lane() {
        return lane;
    }

    @Override
    public long waitedNanos() {
        return begunNanos - arrivedNanos;
    }

    @Override
    public boolean mayWait() {
        return !call.holdsMemory();
    }

    @Override
    public void xdrEncodeInlinePayload(Payload payload) {
        if (transport.connection().gathersItems()) {
            xdrEncodePayload(payload);
        } else {
            super.xdrEncodeInlinePayload(payload);
        }
    }

    @Override
    public int maxInlinePayloadBytes() {
        return transport.connection().gathersItems() ? Integer.MAX_VALUE : super.maxInlinePayloadBytes();
    }

    @Override
    public int maxRangeBytes() {
        return call.maxRangeBytes();
    }

    @Override
    public boolean isRepeated() {
        return !transport.connection().lasts();
    }

    @Override
    public void leave() {
        drop();
    }

    @Override
    public boolean onReplyLeft(Runnable asked) {
        left = asked;
        return true;
    }

    @Override
    public Runnable onConnectionEnd(Runnable task) {
        return transport.onEnd(task);
    }

    @Override
    public boolean holds(long replyBytes) {
        return call.holds(replyBytes);
    }

    @Override
    public void proceed(Lane next, LaneTask rest) {
        RpcCall parsed = rpc;
        if (parsed == null) {
            throw new IllegalStateException("a call without a program cannot continue");
        }
        if (lane == Lane.EVENT_LOOP && !hasLeftLoop) {
            hasLeftLoop = true;
            dispatcher.postponed();
        }
        LaneTask guarded = new LaneTask() {
            @Override
            public void run() {
                dispatcher.goOn(parsed, CallXdr.this, rest::run);
            }

            @Override
            public void refused() {
                dispatcher.goOn(parsed, CallXdr.this, rest::refused);
            }
        };
        try {
            dispatcher.execute(next, transport.client(), guarded);
        } catch (RejectedExecutionException e) {
            guarded.refused();
        }
    }

    /** True once a reply or a drop has been decided on. */
    boolean answered() {
        return answered.get();
    }

    /**
     * Throws if this thread began a reply and did not send it, because its encoder failed. A reply that another thread
     * is encoding does not count.
     */
    void requireSent() {
        if (encoder == Thread.currentThread() && !answered.get()) {
            throw new IllegalStateException("the reply could not be encoded");
        }
    }

    @Override
    public void beginEncoding() {
        encoder = Thread.currentThread();
        super.beginEncoding();
    }

    /**
     * Sends the encoded reply, or drops the call if it may not be answered any more.
     *
     * @return the length of the unreduced reply, or -1 if none was sent
     */
    long send() {
        if (!answered.compareAndSet(false, true)) {
            LOG.error("a program answered one call twice");
            releaseItems();
            return -1;
        }
        if (!dispatcher.mayAnswer()) {
            LOG.debug("{}: a reply is not sent, since this server may have been taken over", transport);
            end();
            return -1;
        }
        RpcMessage encoded = takeMessage();
        RpcMessage reply = left == null ? encoded : new RpcMessage(encoded.xdr(), encoded.items(), left);
        long lengthBytes = reply.lengthBytes();
        call.reply(reply);
        dispatcher.answered().answered(System.nanoTime() - begunNanos);
        return lengthBytes;
    }

    /** Ends the call without a reply. */
    void drop() {
        if (answered.compareAndSet(false, true)) {
            end();
        }
    }

    private void end() {
        releaseItems();
        call.drop();
        if (left != null) {
            left.run();
        }
    }
}
