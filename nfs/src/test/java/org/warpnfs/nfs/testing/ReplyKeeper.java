package org.warpnfs.nfs.testing;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import org.dcache.oncrpc4j.rpc.ReplyQueue;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.glassfish.grizzly.memory.ByteBufferManager;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;

/** A transport without a wire: hands one call to a program and keeps the bytes of the one reply. */
public final class ReplyKeeper implements RpcTransport {
    private final InetSocketAddress remote;
    private byte[] reply;

    private ReplyKeeper(InetSocketAddress remote) {
        this.remote = remote;
    }

    /**
     * Sends a whole RPC call message to {@code program} as from {@code remote}.
     *
     * @return the whole reply message, or null if the program did not reply
     */
    public static byte[] call(RpcDispatchable program, InetSocketAddress remote, byte[] message) throws Exception {
        ReplyKeeper transport = new ReplyKeeper(remote);
        Xdr xdr = new FreshReplyXdr(ByteBuffer.wrap(message));
        xdr.beginDecoding();
        int xid = xdr.xdrDecodeInt();
        int direction = xdr.xdrDecodeInt();
        if (direction != 0) {
            throw new IllegalArgumentException("not a call");
        }
        RpcCall call = new RpcCall(xid, xdr, transport);
        call.accept();
        program.dispatchOncRpcCall(call);
        return transport.reply;
    }

    @Override
    public <A> void send(Xdr xdr, A attachment, CompletionHandler<Integer, ? super A> handler) {
        if (reply != null) {
            throw new IllegalStateException("two replies to one call");
        }
        reply = xdr.getBytes();
        handler.completed(reply.length, attachment);
    }

    @Override
    public ReplyQueue getReplyQueue() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
        return true;
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

    /** Encodes the reply into memory of its own, and has a door for payloads that copies what comes through. */
    private static final class FreshReplyXdr extends Xdr implements PayloadEncoder {
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
        public void xdrEncodePayload(Payload payload) {
            xdrEncodeByteBuffer(payload.buffer());
            payload.release();
        }
    }
}
