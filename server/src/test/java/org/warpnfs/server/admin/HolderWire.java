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

/** The connection that carries a {@link StateHolder}'s calls. */
interface HolderWire extends AutoCloseable {
    /** Makes a new connection for all further calls. An RDMA connection is kept if it is still open. */
    void connect() throws IOException;

    /** Sends a call and returns its results, beginning with the COMPOUND's status. */
    ByteBuffer call(NfsCall call) throws IOException;

    /** Waits until the server closes the connection, and then returns true. */
    boolean isCutOff() throws IOException;

    /** Returns whether the server may make callbacks on this connection. */
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
            // Send everything in one write. A second write would wait for the acknowledgement of the first.
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
     * An RDMA connection with a backward channel. It answers CB_NULL, and keeps all other callbacks without an answer.
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
            // The time limit of the test ends this loop.
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
