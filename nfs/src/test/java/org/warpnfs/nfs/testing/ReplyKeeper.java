package org.warpnfs.nfs.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.util.ArrayDeque;
import java.util.Queue;
import org.dcache.oncrpc4j.rpc.ReplyQueue;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.glassfish.grizzly.memory.ByteBufferManager;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.Source;

/**
 * A connection without a wire. It passes calls to a program, one after the other, and keeps the bytes of each reply. It
 * also keeps the calls in the backward direction until they are answered.
 */
public final class ReplyKeeper implements RpcTransport {
    private final InetSocketAddress remote;
    private final ReplyQueue replies = new ReplyQueue();
    private final Queue<byte[]> backwardCalls = new ArrayDeque<>();
    private final Queue<LaneTask> rests = new ArrayDeque<>();
    private boolean open = true;
    private boolean hasLanes;
    private volatile byte[] reply;

    /** A client's connection. */
    public ReplyKeeper(InetSocketAddress remote) {
        this.remote = remote;
    }

    /**
     * Sends a whole RPC call message to {@code program}, as if from {@code remote}.
     *
     * @return the whole reply message, or null if the program did not reply
     */
    public static byte[] call(RpcDispatchable program, InetSocketAddress remote, byte[] message) throws Exception {
        return new ReplyKeeper(remote).call(program, message);
    }

    /** Does the same as {@link #call(RpcDispatchable, InetSocketAddress, byte[])} on this connection. */
    public byte[] call(RpcDispatchable program, byte[] message) throws Exception {
        reply = null;
        ByteBuffer bytes = ByteBuffer.wrap(message);
        Xdr xdr = hasLanes ? new LanesXdr(bytes) : new FreshReplyXdr(bytes);
        xdr.beginDecoding();
        int xid = xdr.xdrDecodeInt();
        int direction = xdr.xdrDecodeInt();
        if (direction != 0) {
            throw new IllegalArgumentException("not a call");
        }
        RpcCall call = new RpcCall(xid, xdr, this);
        call.accept();
        program.dispatchOncRpcCall(call);
        return reply;
    }

    /** From now on calls begin in the lane for short ones. What belongs to another lane waits for {@link #goOn}. */
    public ReplyKeeper withLanes() {
        hasLanes = true;
        return this;
    }

    /** Runs the rest of a call that went to another lane. */
    public void goOn() {
        rests.remove().run();
    }

    /** The reply to the last call, which may have come after the call returned; null if there is none yet. */
    public byte[] reply() {
        return reply;
    }

    /** The next call that the program made to the client; null if there is none. */
    public byte[] nextBackwardCall() {
        return backwardCalls.poll();
    }

    /** Sends the client's reply to a call in the backward direction. */
    public void answerBackward(byte[] message) throws Exception {
        Xdr xdr = new Xdr(message);
        xdr.beginDecoding();
        int xid = xdr.xdrDecodeInt();
        xdr.xdrDecodeInt();
        CompletionHandler<RpcReply, RpcTransport> waiting = replies.get(xid);
        RpcReply answer = new RpcReply(xid, xdr, this);
        if (answer.isAccepted() && answer.getAcceptStatus() == 0) {
            waiting.completed(answer, this);
        } else {
            waiting.failed(new IOException("refused"), this);
        }
    }

    /** Ends the connection: calls that were not answered never will be. */
    public void end() {
        open = false;
        replies.handleDisconnect(getLocalSocketAddress());
        replies.shutdown();
    }

    @Override
    public <A> void send(Xdr xdr, A attachment, CompletionHandler<Integer, ? super A> handler) {
        if (!(xdr instanceof FreshReplyXdr)) {
            backwardCalls.add(xdr.getBytes());
            return;
        }
        if (reply != null) {
            throw new IllegalStateException("two replies to one call");
        }
        reply = xdr.getBytes();
        handler.completed(reply.length, attachment);
    }

    @Override
    public ReplyQueue getReplyQueue() {
        return replies;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public InetSocketAddress getLocalSocketAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 2049);
    }

    @Override
    public InetSocketAddress getRemoteSocketAddress() {
        return remote;
    }

    @Override
    public RpcTransport getPeerTransport() {
        return this;
    }

    @Override
    public void startTLS() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isTLS() {
        return false;
    }

    /** Encodes the reply into memory of its own, and copies payloads. */
    private static class FreshReplyXdr extends Xdr implements PayloadEncoder {
        private static final ByteBufferManager MEMORY = new ByteBufferManager();

        FreshReplyXdr(ByteBuffer call) {
            super(MEMORY.wrap(call), MEMORY);
        }

        @Override
        public void beginEncoding() {
            _buffer = MEMORY.allocate(4096);
            super.beginEncoding();
        }

        @Override
        public void xdrEncodeInlinePayload(Payload payload) {
            xdrEncodePayload(payload);
        }

        @Override
        public int maxInlinePayloadBytes() {
            return Integer.MAX_VALUE;
        }

        @Override
        public void xdrEncodePayload(Source payload) {
            xdrEncodeByteBuffer(payload.bytes());
            payload.release();
        }
    }

    private final class LanesXdr extends FreshReplyXdr implements CallLanes {
        LanesXdr(ByteBuffer call) {
            super(call);
        }

        @Override
        public ClientAddress client() {
            return ClientAddress.of(remote);
        }

        @Override
        public Lane lane() {
            return Lane.SHORT;
        }

        @Override
        public boolean mayWait() {
            return false;
        }

        @Override
        public void proceed(Lane lane, LaneTask rest) {
            rests.add(rest);
        }

        @Override
        public Runnable onConnectionEnd(Runnable task) {
            return () -> {};
        }
    }
}
