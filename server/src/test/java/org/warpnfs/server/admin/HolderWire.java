package org.warpnfs.server.admin;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.server.NfsCall;

/** What a {@link StateHolder}'s calls go over. */
interface HolderWire extends AutoCloseable {
    /** Over a new connection from now on. */
    void connect() throws IOException;

    /** The results of a call, from the COMPOUND's status on. */
    ByteBuffer call(NfsCall call) throws IOException;

    /** True if the server has closed the connection; waits for that. */
    boolean isCutOff() throws IOException;

    /** Whether the server may call back over it. */
    boolean takesCallbacks();

    @Override
    void close() throws IOException;

    /** A TCP connection. */
    final class OverTcp implements HolderWire {
        private static final int LAST_FRAGMENT = 0x8000_0000;

        private final InetSocketAddress server;
        private Socket socket = new Socket();

        OverTcp(InetSocketAddress server) {
            this.server = server;
        }

        @Override
        public void connect() throws IOException {
            socket = new Socket(server.getAddress(), server.getPort());
            socket.setSoTimeout(30_000);
        }

        @Override
        public ByteBuffer call(NfsCall call) throws IOException {
            int length = (int) call.message().lengthBytes();
            ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + length);
            record.putInt(LAST_FRAGMENT | length).put(call.message().flatten());
            // In one write: the second of two would wait for the acknowledgement of the first.
            socket.getOutputStream().write(record.array());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] reply = new byte[in.readInt() & ~LAST_FRAGMENT];
            in.readFully(reply);
            return NfsCall.results(ByteBuffer.wrap(reply));
        }

        @Override
        public boolean isCutOff() throws IOException {
            return socket.getInputStream().read() < 0;
        }

        @Override
        public boolean takesCallbacks() {
            return false;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /**
     * An RDMA connection with a backward channel. The server's calls on it are kept and not answered, but for CB_NULL.
     */
    final class OverRdma implements HolderWire {
        private static final int PATIENCE_SECONDS = 60;
        private static final int PROCEDURE_OFFSET = 20;
        private static final int CB_NULL = 0;
        private static final int REPLY_BYTES = 24;

        final BlockingQueue<ByteBuffer> callbacks = new LinkedBlockingQueue<>();
        private final InetSocketAddress server;
        private final IwarpTransport iwarp = new IwarpTransport();
        private RpcRdmaRequester requester;
        private boolean closed;

        OverRdma(InetSocketAddress server) throws IOException {
            this.server = server;
            requester = connected();
        }

        private RpcRdmaRequester connected() throws IOException {
            BackwardCalls kept = (call, reply) -> {
                ByteBuffer copy = ByteBuffer.allocate(call.remaining());
                copy.put(call).flip();
                if (copy.getInt(PROCEDURE_OFFSET) == CB_NULL) {
                    reply.accept(ByteBuffer.allocate(REPLY_BYTES)
                            .putInt(0, copy.getInt(0))
                            .putInt(Integer.BYTES, 1));
                } else {
                    callbacks.add(copy);
                }
            };
            try {
                return RpcRdmaRequester.connect(iwarp.connector(), server, RequesterOptions.DEFAULT, kept)
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void connect() throws IOException {
            if (!requester.open()) {
                requester = connected();
            }
        }

        @Override
        public ByteBuffer call(NfsCall call) throws IOException {
            try {
                return NfsCall.results(requester
                        .call(call.message(), ChunkOffer.NONE)
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .message());
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                throw new IOException(e);
            }
        }

        @Override
        public boolean isCutOff() {
            // The time limit of the test ends this.
            while (requester.open()) {
                Thread.onSpinWait();
            }
            return true;
        }

        @Override
        public boolean takesCallbacks() {
            return true;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                requester.close();
                iwarp.close();
            }
        }
    }
}
