package org.warpnfs.rpcrdma.oncrpc;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.dcache.oncrpc4j.rpc.RpcAuth;
import org.dcache.oncrpc4j.rpc.RpcMessageType;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;

/**
 * Makes calls to one version of a program, like oncrpc4j's {@code RpcCall}, with payloads that are not copied.
 *
 * <h2>Operation</h2>
 *
 * Arguments that are encoded by {@code xdrEncodePayload} or a {@code ByteBuffer} encoder are sent inline if they fit,
 * else in a Read chunk. Results that are decoded by {@code xdrDecodeByteBuffer} come in the sinks, in their order, if
 * the responder uses them, else in the message. So the same code works over TCP.
 *
 * <h2>Buffers</h2>
 *
 * The transport takes ownership of payloads. Sinks belong to it until the call has ended. {@code xdrDecodeByteBuffer}
 * returns a view of the sink or of the message. A view of the message is valid only while the results are being
 * decoded.
 *
 * <h2>Errors</h2>
 *
 * {@link RequestException} for failures below RPC, {@link org.dcache.oncrpc4j.rpc.OncRpcException} for calls that RPC
 * refuses. Safe for any thread. Results are decoded on the connection's owner thread.
 */
public final class RpcCaller {
    private static final int RPC_VERSION = 2;

    private final int program;
    private final int version;
    private final RpcAuth auth;
    private final RequesterTransport transport;
    private final AtomicInteger xids =
            new AtomicInteger(ThreadLocalRandom.current().nextInt());

    public RpcCaller(int program, int version, RpcAuth auth, RequesterTransport transport) {
        this.program = program;
        this.version = version;
        this.auth = auth;
        this.transport = transport;
    }

    /**
     * Makes a call and waits for its end.
     *
     * @param sinks memory for each DDP-eligible result, from position to limit
     * @throws IOException if the call failed, below RPC or in RPC
     */
    public void call(int procedure, XdrAble arguments, XdrAble results, List<ByteBuffer> sinks, Duration timeout)
            throws IOException {
        try {
            start(procedure, arguments, results, new ChunkOffer(sinks, Optional.empty()), timeout)
                    .get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a reply");
        }
    }

    /**
     * Makes a call.
     *
     * @param offer memory for DDP-eligible results, and for a reply that does not fit inline
     * @return completed when the results have been decoded
     * @throws IOException if the arguments cannot be encoded
     */
    public CompletableFuture<Void> start(
            int procedure, XdrAble arguments, XdrAble results, ChunkOffer offer, Duration timeout) throws IOException {
        EncodingXdr xdr = new EncodingXdr(XdrStream.of(ByteBuffer.allocate(0)));
        boolean encoded = false;
        try {
            xdr.beginEncoding();
            xdr.xdrEncodeInt(xids.getAndIncrement());
            xdr.xdrEncodeInt(RpcMessageType.CALL);
            xdr.xdrEncodeInt(RPC_VERSION);
            xdr.xdrEncodeInt(program);
            xdr.xdrEncodeInt(version);
            xdr.xdrEncodeInt(procedure);
            auth.xdrEncode(xdr);
            arguments.xdrEncode(xdr);
            xdr.endEncoding();
            encoded = true;
        } finally {
            if (!encoded) {
                xdr.close();
            }
        }
        Decoding decoding = new Decoding(results);
        transport.requester().call(xdr.takeMessage(), offer, Requester.deadlineNanos(timeout), decoding);
        return decoding.done;
    }

    private final class Decoding implements ReplyHandler {
        private final XdrAble results;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Decoding(XdrAble results) {
            this.results = results;
        }

        @Override
        public void replied(XdrStream message, List<ByteBuffer> written) {
            try {
                RpcReply reply = RequesterTransport.reply(transport, new ReplyXdr(message, written));
                RequesterTransport.check(reply);
                reply.getReplyResult(results);
                done.complete(null);
            } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        }

        @Override
        public void failed(RequestException why) {
            done.completeExceptionally(why);
        }
    }
}
