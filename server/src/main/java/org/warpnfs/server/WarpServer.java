package org.warpnfs.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.DescriptorBudget;
import org.warpnfs.fs.local.SyncCounts;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.idmap.CurrentNames;
import org.warpnfs.nfs.idmap.CurrentPrincipals;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.v4.Nfs4Administration;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.UdpRpcService;
import org.warpnfs.rpcrdma.gss.GssLayer;
import org.warpnfs.rpcrdma.oncrpc.AnsweredCalls;
import org.warpnfs.rpcrdma.oncrpc.OpenConnection;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.udp.UdpOptions;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.DataPath.OnOff;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.config.SharedPlace;
import org.warpnfs.server.config.TlsChoice;
import org.warpnfs.server.limits.Budgets;
import org.warpnfs.server.limits.LayerLimits;
import org.warpnfs.server.limits.Machine;
import org.warpnfs.server.limits.NettyMemory;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.rpcbind.PeerPrograms;

/**
 * A server: connects backends to exports, exports to programs, and programs to two listeners.
 *
 * <p>{@link #close()} and a failed start close everything in the reverse order. Safe for any thread.
 */
public final class WarpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarpServer.class);
    /** Exit status of a process that lost its place in its cluster. */
    private static final int LOST_STATUS = 3;

    private final ServerConfig config;
    private final Budgets.Plan plan;
    private final OpenedParts parts = new OpenedParts();
    private final Backends backends;
    private final ExportTable exports;
    private final PayloadPool payloads;
    private final Programs programs;
    private final OperationThreads threads;
    private final RpcRdmaService rdma;
    private final IwarpTransport iwarp;
    private final @Nullable Listener rdmaListener;
    private final TcpRpcService tcp;
    private final @Nullable TlsFiles tls;
    private final @Nullable GssLayer gss;

    /** Held while exports are replaced, which may block on file systems. */
    private final ReentrantLock reloading = new ReentrantLock();

    /** Guarded by {@link #reloading}. */
    private IdentityChoices identities;

    private volatile boolean draining;
    private volatile boolean closed;
    private final Drain drain;

    private WarpServer(ServerConfig config, Budgets.Plan plan, CallRecorder recorder, @Nullable Runnable ended)
            throws ConfigException {
        this.config = config;
        this.identities = config.identities();
        this.plan = plan;
        ServerLimits limits = plan.limits();
        boolean started = false;
        try {
            ClusterChoice cluster = config.cluster();
            Path statePath = cluster != null && cluster.place() instanceof SharedPlace.InDirectory in
                    ? DirectoryState.ofNode(cluster, in)
                    : config.stateDirectory();
            StateDirectory state = statePath == null
                    ? null
                    : parts.add(
                            cluster == null ? StateDirectory.open(statePath) : StateDirectory.openOfNode(statePath));
            SharedState shared = cluster == null || state == null
                    ? null
                    : parts.add(SharedState.open(cluster, config.lease(), state));
            byte[] handleKey = state == null
                    ? StateDirectory.freshHandleKey()
                    : shared == null ? state.handleKey() : shared.handleKey();
            // Before the exports: it makes Ceph end the mounts of an earlier process of this node, and they need a
            // name.
            ClusterSeat seat = cluster == null || shared == null
                    ? null
                    : parts.add(
                            ClusterStart.take(cluster, config.lease(), shared, ended == null ? this::close : ended));
            backends = parts.add(Backends.none(config, plan, state, seat));
            if (seat != null) {
                // If the start fails, the others are told before the exports are closed, which may take long.
                parts.add((AutoCloseable) seat::leave);
            }
            TlsChoice choice = config.tls();
            tls = choice == null ? null : parts.add(TlsFiles.open(choice));
            exports = backends.open();
            TlsFiles.requireReachable(exports.exports(), tls);
            ExportTransports.requireReachable(config, exports.exports());
            payloads = new PayloadPool(
                    limits.memory().payloadBytes(), limits.memory().transferBytes());
            InetSocketAddress own = config.tcpAddress() != null ? config.tcpAddress() : config.rdmaAddress();
            if (own == null) {
                throw new ConfigException("--rdma-port and --tcp-port: one of them must be served");
            }
            TcpCallbackDialer dialer = parts.add(new TcpCallbackDialer(own));
            PeerPrograms peers = parts.add(new PeerPrograms());
            programs = parts.add(new Programs(
                    exports, handleKey, payloads, config, limits, plan.nlm(), state, seat, dialer, peers, recorder));
            if (seat != null) {
                // The first that is closed of what the clients need.
                parts.add((AutoCloseable) seat::leave);
            }
            threads = parts.add(new OperationThreads(
                    config.operationThreads(), config.dataPath().inline() == OnOff.ON ? Lane.EVENT_LOOP : Lane.SHORT));
            if (seat != null) {
                threads.answerWhile(seat::mayAnswer);
            }
            gss = Kerberos.layer(config.kerberos());
            if (gss != null) {
                programs.callWith(Kerberos.callbackContexts(gss));
            }
            tcp = parts.add(listenForTcp(config, limits, programs, threads, tls, gss));
            rdma = parts.add(new RpcRdmaService(
                    programs.overRdma(),
                    threads,
                    payloads,
                    LayerLimits.responder(limits, config.rdma().readReplies()),
                    programs::connectionClosed,
                    gss));
            iwarp = parts.add(Iwarp.transport(config, limits));
            rdmaListener = listenForRdma(iwarp, config, rdma);
            if (rdmaListener != null) {
                parts.add(rdmaListener);
            }
            drain = new Drain(rdmaListener, rdma, tcp);
            if (seat != null) {
                seat.serving();
            }
            warnOfTransports();
            started = true;
        } finally {
            if (!started) {
                parts.closeAll();
            }
        }
    }

    /**
     * Opens the exports and listens.
     *
     * @throws ConfigException if the server cannot start; one line gives the reason
     */
    public static WarpServer start(ServerConfig config) throws ConfigException {
        return start(config, ServerLimits.DEFAULT);
    }

    /**
     * Starts the only server of a process. Netty must not have been used before, so that its memory can be limited.
     *
     * @param limits the configured limits; their payload memory is replaced by {@link ServerConfig#payloadBytes}
     * @param recorder is told how calls end
     * @throws ConfigException if the server cannot start; one line gives the reason
     */
    public static WarpServer startAlone(ServerConfig config, ServerLimits limits, CallRecorder recorder)
            throws ConfigException {
        Budgets.Plan plan = plan(config, limits);
        NettyMemory.limit(plan.nettyBytes());
        // In order would be too slow: clients may reclaim elsewhere.
        return new WarpServer(config, plan, recorder, () -> Runtime.getRuntime().halt(LOST_STATUS));
    }

    /**
     * Starts a server with these limits; their payload memory is replaced by {@link ServerConfig#payloadBytes}.
     *
     * @throws ConfigException if the server cannot start; one line gives the reason
     */
    public static WarpServer start(ServerConfig config, ServerLimits limits) throws ConfigException {
        return start(config, limits, CallRecorder.NONE);
    }

    /**
     * Starts a server with these limits.
     *
     * @param recorder is told how calls end
     * @throws ConfigException if the server cannot start; one line gives the reason
     */
    public static WarpServer start(ServerConfig config, ServerLimits limits, CallRecorder recorder)
            throws ConfigException {
        return new WarpServer(config, plan(config, limits), recorder, null);
    }

    /**
     * Returns the limits that fit this process.
     *
     * @throws ConfigException if the minimum does not fit
     */
    public static Budgets.Plan plan(ServerConfig config, ServerLimits limits) throws ConfigException {
        int exports = config.exports().size();
        boolean inMemory = config.backend() == Backend.MEMORY;
        Budgets.Wanted wanted = new Budgets.Wanted(
                limits.withPayloadBytes(config.payloadBytes()),
                config.rdma().readReplies(),
                inMemory ? 0 : exports,
                inMemory ? exports : 0,
                config.memoryBytes(),
                config.dataPath().splice() == OnOff.ON);
        return Budgets.plan(wanted, Machine.ofProcess());
    }

    private static TcpRpcService listenForTcp(
            ServerConfig config,
            ServerLimits limits,
            Programs programs,
            OperationThreads threads,
            @Nullable TlsFiles tls,
            @Nullable GssLayer gss)
            throws ConfigException {
        try {
            return TcpRpcService.start(
                    config.tcpAddress(),
                    programs.overTcp(),
                    threads,
                    LayerLimits.tcp(limits),
                    tls == null ? null : tls.context(),
                    gss,
                    programs::connectionClosed);
        } catch (IOException e) {
            throw new ConfigException("--tcp-port: " + e.getMessage(), e);
        }
    }

    private static @Nullable Listener listenForRdma(IwarpTransport iwarp, ServerConfig config, RpcRdmaService service)
            throws ConfigException {
        InetSocketAddress address = config.rdmaAddress();
        try {
            return address == null ? null : iwarp.listen(address, service);
        } catch (IOException e) {
            throw new ConfigException("--rdma-port: " + e.getMessage(), e);
        }
    }

    private void warnOfTransports() {
        ExportTransports.warning(config, exports.exports()).ifPresent(LOG::warn);
    }

    /** Returns where RDMA clients connect, with the actual port; null if nothing is served over RDMA. */
    public @Nullable InetSocketAddress rdmaAddress() {
        return rdmaListener == null ? null : rdmaListener.localAddress();
    }

    /** Returns where TCP clients connect, with the actual port; null if nothing is served over TCP. */
    public @Nullable InetSocketAddress tcpAddress() {
        return config.tcpAddress() == null ? null : tcp.localAddress();
    }

    /**
     * Serves MOUNT, or NLM and NSM, or all, over UDP too, on the address of TCP, until this server drains or closes.
     *
     * @return the address
     * @throws ConfigException if it cannot; one line gives the reason
     */
    public synchronized InetSocketAddress overUdp(boolean withMount, boolean withNlm) throws ConfigException {
        if (closed) {
            throw new ConfigException("the server has stopped");
        }
        InetSocketAddress ofTcp = config.tcpAddress();
        InetSocketAddress actual = tcpAddress();
        if (ofTcp == null || actual == null) {
            throw new ConfigException("UDP is served on the port number of TCP, which is off (--tcp-port)");
        }
        try {
            InetSocketAddress address = new InetSocketAddress(ofTcp.getAddress(), actual.getPort());
            UdpRpcService udp = parts.add(
                    UdpRpcService.start(address, programs.overUdp(withMount, withNlm), threads, UdpOptions.DEFAULT));
            drain.way(udp);
            return udp.localAddress();
        } catch (IOException e) {
            throw new ConfigException((withMount ? "--mount-udp: " : "--nlm: UDP: ") + e.getMessage(), e);
        }
    }

    /** Tells clients that had NLM locks of the restart. To be called when they can find the server. */
    public void tellOfRestart() {
        programs.tellOfRestart();
    }

    /** Returns lines of text: exports, addresses, and mount commands. */
    public List<String> describe() {
        return Description.of(config, exports, plan.line(), rdmaAddress(), tcpAddress());
    }

    /**
     * Replaces the exports. If one of them cannot be served, nothing changes. Clients of unchanged exports notice
     * nothing. Handles of a removed export become stale, state on its files is removed, and its file system is closed.
     *
     * @return the changes, a line each; empty if nothing has changed
     * @throws ConfigException if an export cannot be served; one line gives the reason, and nothing has changed
     */
    public List<String> reload(List<ExportSpec> specs) throws ConfigException {
        reloading.lock();
        try {
            if (closed) {
                throw new ConfigException("the server has stopped");
            }
            return replaceExports(specs);
        } finally {
            reloading.unlock();
        }
    }

    private List<String> replaceExports(List<ExportSpec> specs) throws ConfigException {
        List<Export> before = exports.exports();
        try {
            List<Export> wanted = ExportChanges.keepingEqual(before, backends.exportsOf(specs));
            TlsFiles.requireReachable(wanted, tls);
            ExportTransports.requireReachable(config, wanted);
            exports.replace(wanted);
            warnOfTransports();
            return ExportChanges.between(before, wanted);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("exports: " + e.getMessage(), e);
        } finally {
            backends.closeAllBut(exports.exports()).forEach(programs::withdraw);
        }
    }

    /**
     * Replaces the exports and the names of owners, both or neither. The files of TLS are read again before.
     *
     * @param wanted the choices at the start, with other names
     * @return the changes, a line each; empty if nothing has changed
     * @throws ConfigException if an export cannot be served; one line gives the reason, and nothing has changed
     */
    public List<String> reload(List<ExportSpec> specs, IdentityChoices wanted) throws ConfigException {
        reloading.lock();
        try {
            if (tls != null && !closed) {
                tls.renew().forEach(LOG::info);
            }
            if (wanted.equals(identities)) {
                return reload(specs);
            }
            Identities fresh = WhoIsWho.of(wanted);
            List<String> changes = new ArrayList<>(reload(specs));
            if (identities().owners() instanceof CurrentNames current) {
                current.become(fresh.owners());
                if (identities().principals() instanceof CurrentPrincipals principals) {
                    principals.become(fresh.principals());
                }
                identities = wanted;
                StaticNames map = wanted.names().map();
                changes.add("names of owners changed: " + map.users().size() + " users and "
                        + map.groups().size() + " groups are mapped");
            }
            return List.copyOf(changes);
        } finally {
            reloading.unlock();
        }
    }

    /** Returns the identities of users and groups. */
    Identities identities() {
        return exports.identities();
    }

    /** Returns the limits after they were fitted to the process. */
    public ServerLimits limits() {
        return plan.limits();
    }

    /** Returns all counters. Their names begin with the layer; docs/limits.md lists them. */
    public Map<String, Long> counters() {
        Counters counters = new Counters()
                .iwarp(iwarp.statistics())
                .transport("rdma", rdma.statistics())
                .transport("tcp", tcp.statistics())
                .gss(gss)
                .payload(payloads);
        programs.count(counters);
        return counters.descriptors(DescriptorBudget.ofProcess())
                .syncs(SyncCounts.ofProcess())
                .limits(plan.limits())
                .lanes(threads)
                .values();
    }

    /** Returns the current exports in the order of the configuration. */
    public List<Export> exports() {
        return exports.exports();
    }

    /** Returns whether NFSv4 clients of the previous instance may reclaim while others wait. */
    public boolean isGraceRunning() {
        return programs.isGraceRunning();
    }

    /** Returns true from the moment the server was told to drain or stop. */
    public boolean isDraining() {
        return draining;
    }

    /**
     * Accepts no more clients, and closes each connection when its calls under way are answered. The process runs on.
     * Returns at once.
     */
    public void drain() {
        draining = true;
        drain.begin();
    }

    /**
     * Takes over something by which clients find this server, such as its entries at a portmapper, and closes it as
     * soon as the server drains or closes. Closing it again must do nothing.
     */
    public void closeWhenDraining(AutoCloseable way) {
        drain.way(way);
    }

    /** Returns true after {@link #drain} when no connection is left. */
    public boolean isDrained() {
        return drain.isDone();
    }

    /** Returns the administration of NFSv4 state. */
    public Nfs4Administration nfs4() {
        return programs.administration();
    }

    /** Returns the open connections by transport, {@code rdma} and {@code tcp}. */
    public Map<String, List<OpenConnection>> connections() {
        return Map.of("rdma", rdma.connections(), "tcp", tcp.connections());
    }

    /** Returns live counters of answered calls by transport, {@code rdma} and {@code tcp}. */
    public Map<String, AnsweredCalls> answered() {
        return Map.of("rdma", rdma.answered(), "tcp", tcp.answered());
    }

    /** Returns the event loops of each transport, {@code rdma} and {@code tcp}, to measure their lag. */
    public Map<String, List<Executor>> eventLoops() {
        return Map.of("rdma", iwarp.eventLoops(), "tcp", tcp.eventLoops());
    }

    /**
     * Stops listening, waits for calls under way up to the configured time, and closes everything. If a reload hangs in
     * a file system, close waits for it up to the same time again, and leaves its file systems open until the process
     * ends.
     */
    @Override
    public synchronized void close() {
        draining = true;
        if (closed) {
            return;
        }
        drain.closeWays();
        if (rdmaListener != null) {
            rdmaListener.close();
        }
        boolean rdmaDone = rdma.drain(config.drain());
        boolean tcpDone = tcp.drain(config.drain());
        if (!rdmaDone || !tcpDone) {
            LOG.warn(
                    "calls were still under way after {} s and are cut off",
                    config.drain().toSeconds());
        }
        boolean reloaded = awaitReload();
        closed = true;
        try {
            if (reloaded) {
                parts.closeAll();
            } else {
                LOG.warn("a reload of exports hangs, so the file systems are not closed");
                parts.closeDownTo(backends);
            }
        } finally {
            if (reloaded) {
                reloading.unlock();
            }
        }
    }

    private boolean awaitReload() {
        try {
            return reloading.tryLock(config.drain().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return reloading.tryLock();
        }
    }
}
