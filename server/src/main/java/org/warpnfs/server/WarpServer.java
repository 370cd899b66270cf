package org.warpnfs.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.server.Rfc5666Options;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ServerConfig;

/**
 * One server: backends under exports, exports under programs, programs under two listeners.
 *
 * <p>What was opened is closed in the opposite order, by {@link #close()} and when a start fails half way. Safe for any
 * thread.
 */
public final class WarpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarpServer.class);

    /** The largest READ or WRITE, and what an NFSv4 COMPOUND may add to it when it comes as one long call. */
    private static final int MAX_PAYLOAD_BYTES = (1 << 20) + (64 << 10);

    private final ServerConfig config;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final ExportTable exports;
    private final RpcRdmaService rdma;
    private final Listener rdmaListener;
    private final TcpRpcService tcp;

    private WarpServer(ServerConfig config) throws ConfigException {
        this.config = config;
        boolean started = false;
        try {
            Path statePath = config.stateDirectory();
            StateDirectory state = statePath == null ? null : opened(StateDirectory.open(statePath));
            byte[] handleKey = state == null ? StateDirectory.freshHandleKey() : state.handleKey();
            exports = opened(Backends.none(config, state)).open();
            PayloadPool payloads = new PayloadPool(config.payloadBytes(), MAX_PAYLOAD_BYTES);
            TcpCallbackDialer dialer = opened(new TcpCallbackDialer(config.tcpAddress()));
            Programs programs = opened(new Programs(exports, handleKey, payloads, config, state, dialer));
            OperationThreads threads = opened(new OperationThreads(config.operationThreads()));
            tcp = opened(listenForTcp(config, programs.overTcp(), threads, programs::connectionClosed));
            rdma = opened(new RpcRdmaService(
                    programs.overRdma(), threads, payloads, responder(config), programs::connectionClosed));
            IwarpTransport iwarp = opened(Iwarp.transport(config));
            rdmaListener = opened(listenForRdma(iwarp, config, rdma));
            started = true;
        } finally {
            if (!started) {
                closeOpened();
            }
        }
    }

    /**
     * Opens the exports and listens.
     *
     * @throws ConfigException with one line that says what is in the way
     */
    public static WarpServer start(ServerConfig config) throws ConfigException {
        return new WarpServer(config);
    }

    private static TcpRpcService listenForTcp(
            ServerConfig config,
            Map<OncRpcProgram, RpcDispatchable> programs,
            OperationThreads threads,
            Consumer<RpcTransport> disconnected)
            throws ConfigException {
        try {
            return TcpRpcService.start(config.tcpAddress(), programs, threads, TcpOptions.DEFAULT, disconnected);
        } catch (IOException e) {
            throw new ConfigException("--tcp-port: " + e.getMessage(), e);
        }
    }

    private static Listener listenForRdma(IwarpTransport iwarp, ServerConfig config, RpcRdmaService service)
            throws ConfigException {
        try {
            return iwarp.listen(config.rdmaAddress(), service);
        } catch (IOException e) {
            throw new ConfigException("--rdma-port: " + e.getMessage(), e);
        }
    }

    private static ResponderOptions responder(ServerConfig config) {
        return config.rdma().readReplies()
                ? ResponderOptions.builder().rfc5666(Rfc5666Options.ALL).build()
                : ResponderOptions.DEFAULT;
    }

    private <T extends AutoCloseable> T opened(T part) {
        opened.addFirst(part);
        return part;
    }

    /** Where RDMA clients connect, with the port that was taken. */
    public InetSocketAddress rdmaAddress() {
        return rdmaListener.localAddress();
    }

    /** Where TCP clients connect, with the port that was taken. */
    public InetSocketAddress tcpAddress() {
        return tcp.localAddress();
    }

    /** What is served, where, and how a client mounts it: one line each, for people. */
    public List<String> describe() {
        return Description.of(config, exports, rdmaAddress(), tcpAddress());
    }

    /** Stops listening, lets calls under way finish within the configured time, and closes everything. */
    @Override
    public synchronized void close() {
        if (opened.isEmpty()) {
            return;
        }
        rdmaListener.close();
        boolean rdmaDone = rdma.drain(config.drain());
        boolean tcpDone = tcp.drain(config.drain());
        if (!rdmaDone || !tcpDone) {
            LOG.warn(
                    "calls were still under way after {} s and are cut off",
                    config.drain().toSeconds());
        }
        closeOpened();
    }

    private void closeOpened() {
        for (AutoCloseable part = opened.pollFirst(); part != null; part = opened.pollFirst()) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("{} did not close", part.getClass().getSimpleName(), e);
            }
        }
    }
}
