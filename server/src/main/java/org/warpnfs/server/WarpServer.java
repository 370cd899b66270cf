package org.warpnfs.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.DescriptorBudget;
import org.warpnfs.fs.local.SyncCounts;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.idmap.CurrentNames;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.v4.Nfs4Administration;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.UdpRpcService;
import org.warpnfs.rpcrdma.oncrpc.AnsweredCalls;
import org.warpnfs.rpcrdma.oncrpc.OpenConnection;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.udp.UdpOptions;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.Budgets;
import org.warpnfs.server.limits.LayerLimits;
import org.warpnfs.server.limits.Machine;
import org.warpnfs.server.limits.NettyMemory;
import org.warpnfs.server.limits.ServerLimits;

/**
 * One server: backends under exports, exports under programs, programs under two listeners.
 *
 * <p>What was opened is closed in the opposite order, by {@link #close()} and when a start fails half way. Safe for any
 * thread.
 */
public final class WarpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarpServer.class);

    private final ServerConfig config;
    private final Budgets.Plan plan;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Backends backends;
    private final ExportTable exports;
    private final PayloadPool payloads;
    private final Programs programs;
    private final OperationThreads threads;
    private final RpcRdmaService rdma;
    private final IwarpTransport iwarp;
    private final Listener rdmaListener;
    private final TcpRpcService tcp;

    /** Held while exports are replaced, which may wait for file systems. */
    private final ReentrantLock reloading = new ReentrantLock();

    /** Under {@link #reloading}. */
    private IdentityChoices identities;

    private volatile boolean draining;
    private volatile boolean closed;
    private final Drain drain;

    private WarpServer(ServerConfig config, Budgets.Plan plan, CallRecorder recorder) throws ConfigException {
        this.config = config;
        this.identities = config.identities();
        this.plan = plan;
        ServerLimits limits = plan.limits();
        boolean started = false;
        try {
            Path statePath = config.stateDirectory();
            StateDirectory state = statePath == null ? null : opened(StateDirectory.open(statePath));
            byte[] handleKey = state == null ? StateDirectory.freshHandleKey() : state.handleKey();
            backends = opened(Backends.none(config, plan, state));
            exports = backends.open();
            payloads = new PayloadPool(
                    limits.memory().payloadBytes(), limits.memory().transferBytes());
            TcpCallbackDialer dialer = opened(new TcpCallbackDialer(config.tcpAddress()));
            programs = opened(new Programs(exports, handleKey, payloads, config, limits, state, dialer, recorder));
            threads = opened(new OperationThreads(config.operationThreads()));
            tcp = opened(listenForTcp(config, limits, programs, threads));
            rdma = opened(new RpcRdmaService(
                    programs.overRdma(),
                    threads,
                    payloads,
                    LayerLimits.responder(limits, config.rdma().readReplies()),
                    programs::connectionClosed));
            iwarp = opened(Iwarp.transport(config, limits));
            rdmaListener = opened(listenForRdma(iwarp, config, rdma));
            drain = new Drain(rdmaListener, rdma, tcp);
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
        return start(config, ServerLimits.DEFAULT);
    }

    /**
     * The same as the only server of its process: nothing of Netty has been used before, so that it can be told how
     * much memory it has.
     *
     * @param limits what is wanted; {@link ServerConfig#payloadBytes} counts, and not what they say of it
     * @param recorder hears how calls end
     * @throws ConfigException with one line that says what is in the way
     */
    public static WarpServer startAlone(ServerConfig config, ServerLimits limits, CallRecorder recorder)
            throws ConfigException {
        Budgets.Plan plan = plan(config, limits);
        NettyMemory.limit(plan.nettyBytes());
        return new WarpServer(config, plan, recorder);
    }

    /**
     * The same, with other limits; {@link ServerConfig#payloadBytes} counts, and not what they say of it.
     *
     * @throws ConfigException with one line that says what is in the way
     */
    public static WarpServer start(ServerConfig config, ServerLimits limits) throws ConfigException {
        return start(config, limits, CallRecorder.NONE);
    }

    /**
     * The same.
     *
     * @param recorder hears how calls end
     * @throws ConfigException with one line that says what is in the way
     */
    public static WarpServer start(ServerConfig config, ServerLimits limits, CallRecorder recorder)
            throws ConfigException {
        return new WarpServer(config, plan(config, limits), recorder);
    }

    /**
     * What of these limits this process can have.
     *
     * @throws ConfigException if the least that works does not fit
     */
    public static Budgets.Plan plan(ServerConfig config, ServerLimits limits) throws ConfigException {
        int exports = config.exports().size();
        boolean inMemory = config.backend() == Backend.MEMORY;
        Budgets.Wanted wanted = new Budgets.Wanted(
                limits.withPayloadBytes(config.payloadBytes()),
                config.rdma().readReplies(),
                inMemory ? 0 : exports,
                inMemory ? exports : 0,
                config.memoryBytes());
        return Budgets.plan(wanted, Machine.ofProcess());
    }

    private static TcpRpcService listenForTcp(
            ServerConfig config, ServerLimits limits, Programs programs, OperationThreads threads)
            throws ConfigException {
        try {
            return TcpRpcService.start(
                    config.tcpAddress(),
                    programs.overTcp(),
                    threads,
                    LayerLimits.tcp(limits),
                    programs::connectionClosed);
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

    /**
     * Serves MOUNT over UDP as well, on the address of TCP, until this server drains or closes.
     *
     * @return where
     * @throws ConfigException with one line that says what is in the way
     */
    public synchronized InetSocketAddress mountOverUdp() throws ConfigException {
        if (closed) {
            throw new ConfigException("the server has stopped");
        }
        try {
            InetSocketAddress address = new InetSocketAddress(
                    config.tcpAddress().getAddress(), tcpAddress().getPort());
            UdpRpcService udp = opened(UdpRpcService.start(address, programs.overUdp(), threads, UdpOptions.DEFAULT));
            drain.way(udp);
            return udp.localAddress();
        } catch (IOException e) {
            throw new ConfigException("--mount-udp: " + e.getMessage(), e);
        }
    }

    /** What is served, where, and how a client mounts it: one line each, for people. */
    public List<String> describe() {
        return Description.of(config, exports, plan.line(), rdmaAddress(), tcpAddress());
    }

    /**
     * Serves these exports from now on, all of them or, where one cannot be served, those of before. Clients of an
     * export that stays notice nothing; handles of one that goes are stale, what clients hold of its files is gone, and
     * its file system is closed.
     *
     * @return what is different now, a line each; none if nothing is
     * @throws ConfigException with one line that says what is in the way; nothing has changed then
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
            exports.replace(wanted);
            return ExportChanges.between(before, wanted);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("exports: " + e.getMessage(), e);
        } finally {
            backends.closeAllBut(exports.exports()).forEach(programs::withdraw);
        }
    }

    /**
     * The same, with other names of owners: all of it counts, or nothing.
     *
     * @param wanted as at the start, but for the names
     * @return what is different now, a line each; none if nothing is
     * @throws ConfigException with one line that says what is in the way; nothing has changed then
     */
    public List<String> reload(List<ExportSpec> specs, IdentityChoices wanted) throws ConfigException {
        reloading.lock();
        try {
            if (wanted.equals(identities)) {
                return reload(specs);
            }
            OwnerNames names = WhoIsWho.of(wanted).owners();
            List<String> changes = new ArrayList<>(reload(specs));
            if (identities().owners() instanceof CurrentNames current) {
                current.become(names);
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

    /** Who is who. */
    Identities identities() {
        return exports.identities();
    }

    /** What clients may make this server hold, after it was fitted to the process. */
    public ServerLimits limits() {
        return plan.limits();
    }

    /** Everything that is counted, by names that begin with the layer: each limit of docs/limits.md has one. */
    public Map<String, Long> counters() {
        Counters counters = new Counters()
                .iwarp(iwarp.statistics())
                .transport("rdma", rdma.statistics())
                .transport("tcp", tcp.statistics())
                .payload(payloads);
        programs.count(counters);
        return counters.descriptors(DescriptorBudget.ofProcess())
                .syncs(SyncCounts.ofProcess())
                .limits(plan.limits())
                .lanes(threads)
                .values();
    }

    /** What is exported now, in the order in which it was given. */
    public List<Export> exports() {
        return exports.exports();
    }

    /** True while NFSv4 clients of the instance before may reclaim, and others wait. */
    public boolean isGraceRunning() {
        return programs.isGraceRunning();
    }

    /** True from the moment it was told to stop. */
    public boolean isDraining() {
        return draining;
    }

    /**
     * Accepts nobody any more, and closes each connection when its calls under way are answered; the process goes on.
     * Returns at once.
     */
    public void drain() {
        draining = true;
        drain.begin();
    }

    /**
     * Takes over a way by which clients find this server, such as its entries at a portmapper: it is closed as soon as
     * the server drains or closes. Closing it a second time has to do nothing.
     */
    public void closeWhenDraining(AutoCloseable way) {
        drain.way(way);
    }

    /** True once it was told to {@linkplain #drain drain}, and no connection is left. */
    public boolean isDrained() {
        return drain.isDone();
    }

    /** What an administrator may see of NFSv4 clients, and take from them. */
    public Nfs4Administration nfs4() {
        return programs.administration();
    }

    /** The connections that are open now by transport, {@code rdma} and {@code tcp}. */
    public Map<String, List<OpenConnection>> connections() {
        return Map.of("rdma", rdma.connections(), "tcp", tcp.connections());
    }

    /** The calls that were answered by transport, {@code rdma} and {@code tcp}; live. */
    public Map<String, AnsweredCalls> answered() {
        return Map.of("rdma", rdma.answered(), "tcp", tcp.answered());
    }

    /** The event loops of each transport, {@code rdma} and {@code tcp}, to see how long one takes to come round. */
    public Map<String, List<Executor>> eventLoops() {
        return Map.of("rdma", iwarp.eventLoops(), "tcp", tcp.eventLoops());
    }

    /**
     * Stops listening, lets calls under way finish within the configured time, and closes everything. A reload that
     * hangs at a file system keeps nobody from that: after the same time again its file systems are left to the end of
     * the process.
     */
    @Override
    public synchronized void close() {
        draining = true;
        if (closed) {
            return;
        }
        drain.closeWays();
        rdmaListener.close();
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
                closeOpened();
            } else {
                LOG.warn("a reload of exports hangs: the file systems are not closed");
                closeDownTo(backends);
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

    private void closeOpened() {
        for (AutoCloseable part = opened.pollFirst(); part != null; part = opened.pollFirst()) {
            close(part);
        }
    }

    /** Everything that was opened after it. */
    private void closeDownTo(AutoCloseable last) {
        for (AutoCloseable part = opened.pollFirst(); part != null && part != last; part = opened.pollFirst()) {
            close(part);
        }
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.error("{} did not close", part.getClass().getSimpleName(), e);
        }
    }
}
