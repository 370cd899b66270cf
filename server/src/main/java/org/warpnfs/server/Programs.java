package org.warpnfs.server;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.DescriptorBudget;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Gateways;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.locks.BackendLocking;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.mount.MountProgram;
import org.warpnfs.nfs.nlm.DirectoryNsmStore;
import org.warpnfs.nfs.nlm.NlmLimits;
import org.warpnfs.nfs.nlm.NlmProgram;
import org.warpnfs.nfs.nlm.NlmServer;
import org.warpnfs.nfs.nlm.NsmProgram;
import org.warpnfs.nfs.nlm.OtherPrograms;
import org.warpnfs.nfs.nlm.PeerCalls;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.v3.Nfs3Options;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.Nfs3Server;
import org.warpnfs.nfs.v3.NfsAclProgram;
import org.warpnfs.nfs.v4.Nfs4Administration;
import org.warpnfs.nfs.v4.Nfs4Options;
import org.warpnfs.nfs.v4.Nfs4Program;
import org.warpnfs.nfs.v4.callback.CallbackDialer;
import org.warpnfs.nfs.v4.state.callback.CallbackContext;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.DataPath.OnOff;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.LayerLimits;
import org.warpnfs.server.limits.ServerLimits;

/** The RPC programs of a server. */
final class Programs implements AutoCloseable {
    /** Limit of requests that wait for byte-range locks. */
    private static final int MAX_WAITING_LOCKS = 4096;
    /** Part of the descriptors of files that owners of locks at the backend may have. */
    private static final int LOCKERS_PART = 4;

    private final Nfs3Program nfs3;
    private final NfsAclProgram nfsAcl;
    private final Nfs4Program nfs4;
    private final MountProgram mount;
    private final LockService service;
    private final boolean servesNlm;
    private final NlmServer locks;
    private final ReplyCache replies;
    private final ExecutorService notices;
    private final ExecutorService lockThreads;
    private final LayoutFencing layoutFencing;
    /** True once the cluster need not wait for clients of this node any more. */
    private volatile boolean reclaimsOver;

    Programs(
            ExportTable exports,
            byte[] handleKey,
            PayloadPool payloads,
            ServerConfig config,
            ServerLimits limits,
            NlmLimits nlmLimits,
            @Nullable StateDirectory state,
            @Nullable ClusterSeat seat,
            CallbackDialer dialer,
            PeerCalls peers,
            CallRecorder recorder)
            throws ConfigException {
        servesNlm = config.dataPath().nlm() == OnOff.ON;
        NfsHandles handles = new NfsHandles(exports, handleKey);
        replies = new ReplyCache(limits.memory().keptReplyBytes(), System::nanoTime);
        notices = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("locks").factory());
        lockThreads = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("host-locks-", 0).factory());
        BackendLocking locking = config.dataPath().hostLocks() == OnOff.ON
                ? BackendLocking.on(lockThreads, DescriptorBudget.ofProcess().forFiles() / LOCKERS_PART)
                : BackendLocking.off();
        service = new LockService(MAX_WAITING_LOCKS, notices, locking);
        try {
            layoutFencing =
                    LayoutFencing.open(seat, config.dataPath().dataServers().areUsed());
        } catch (IOException e) {
            throw new ConfigException("--cluster: " + e.getMessage(), e);
        }
        try {
            nfs4 = new Nfs4Program(
                    exports,
                    handles,
                    payloads,
                    nfs4Options(config, limits, state, seat),
                    replies,
                    dialer,
                    recorder,
                    service);
            nfs4.setDelegations(config.dataPath().delegations());
            nfs4.setFencing(layoutFencing.fencing());
            locks = new NlmServer(
                    exports,
                    handles,
                    service,
                    nlmLimits,
                    seat != null ? seat.nsm() : state == null ? null : DirectoryNsmStore.open(state.part("nlm")),
                    config.lease(),
                    new OtherPrograms(
                            nfs4::letGo,
                            nfs4::isGraceRunning,
                            nfs4::isRecovering,
                            ownReclaims(seat),
                            peers,
                            nfs4.fileChanges(),
                            nfs4::reserve),
                    recorder,
                    System::nanoTime,
                    seat == null || seat.isForgiving());
        } catch (IOException e) {
            throw new ConfigException("--state: " + e.getMessage(), e);
        }
        nfs3 = new Nfs3Program(
                new Nfs3Server(
                        exports,
                        handles,
                        payloads,
                        Nfs3Options.of(new SecureRandom().nextLong()),
                        nfs4.fileChanges(),
                        replies,
                        layoutFencing.view()),
                recorder);
        nfsAcl = nfs3.aclProgram();
        mount = new MountProgram(exports, handles, recorder);
        if (seat != null) {
            service.holdBackWhile(seat.enforced());
            seat.connect(new ForCluster());
        }
    }

    /** Lets clients be called with RPCSEC_GSS. To be called before they come. */
    void callWith(CallbackContext.Finder contexts) {
        nfs4.setCallbackContexts(contexts);
    }

    private BooleanSupplier ownReclaims(@Nullable ClusterSeat seat) {
        if (seat == null) {
            return () -> true;
        }
        BooleanSupplier permitted = seat.reclaims();
        return () -> !reclaimsOver && permitted.getAsBoolean();
    }

    /** What the programs do for the cluster. */
    private final class ForCluster implements ClusterHooks {
        @Override
        public boolean isRecovering() {
            if (service.isReclaiming(System.nanoTime())) {
                return true;
            }
            // First: what has begun before is being taken, and what comes later is refused.
            reclaimsOver = true;
            return service.isTaking() || !locks.endReclaims();
        }

        @Override
        public void awaitPermitted() {
            nfs4.awaitPermitted();
        }

        @Override
        public boolean isTaking() {
            return service.isTaking() || nfs4.isMaking();
        }

        @Override
        public void withdrawPermits() {
            nfs4.withdrawPermits();
        }

        @Override
        public void lifted() {
            service.grantHeldBack();
        }

        @Override
        public boolean hasClients() {
            return locks.hostCount() > 0;
        }
    }

    /**
     * Returns the programs over TCP; NLM and NSM unless they are switched off. MOUNT and NLM are not served over RDMA:
     * Linux clients call them over TCP or UDP.
     */
    Map<OncRpcProgram, RpcDispatchable> overTcp() {
        Map<OncRpcProgram, RpcDispatchable> programs = new HashMap<>(overRdma());
        programs.putAll(overUdp(true, servesNlm));
        return Map.copyOf(programs);
    }

    /** Returns programs whose calls may be executed twice, and whose replies are short. */
    Map<OncRpcProgram, RpcDispatchable> overUdp(boolean withMount, boolean withNlm) {
        Map<OncRpcProgram, RpcDispatchable> programs = new HashMap<>();
        if (withMount) {
            programs.put(new OncRpcProgram(MountProgram.PROGRAM, MountProgram.VERSION_1), mount);
            programs.put(new OncRpcProgram(MountProgram.PROGRAM, MountProgram.VERSION_2), mount);
            programs.put(new OncRpcProgram(MountProgram.PROGRAM, MountProgram.VERSION_3), mount);
        }
        if (withNlm) {
            programs.put(new OncRpcProgram(NlmProgram.PROGRAM, NlmProgram.VERSION), locks.nlm());
            programs.put(new OncRpcProgram(NsmProgram.PROGRAM, NsmProgram.VERSION), locks.nsm());
        }
        return Map.copyOf(programs);
    }

    /** Tells NLM clients of the last instance of the restart. To be called when clients find this one. */
    void tellOfRestart() {
        if (servesNlm) {
            locks.listening();
        }
    }

    Map<OncRpcProgram, RpcDispatchable> overRdma() {
        return Map.of(
                new OncRpcProgram(Nfs3Program.PROGRAM, Nfs3Program.VERSION), nfs3,
                new OncRpcProgram(NfsAclProgram.PROGRAM, NfsAclProgram.VERSION), nfsAcl,
                new OncRpcProgram(Nfs4Program.PROGRAM, Nfs4Program.VERSION), nfs4);
    }

    void connectionClosed(RpcTransport transport) {
        nfs4.connectionClosed(transport);
    }

    /** Removes what the programs hold of a file system that is no longer served. */
    void withdraw(FileSystem fileSystem) {
        nfs4.withdraw(fileSystem);
        locks.withdraw(fileSystem);
        service.withdraw(fileSystem);
    }

    /** Returns whether clients of the previous instance may still reclaim. */
    boolean isGraceRunning() {
        return nfs4.isGraceRunning();
    }

    /** Returns the administration of NFSv4 state. */
    Nfs4Administration administration() {
        return nfs4.administration();
    }

    /** Adds the counters of NFSv4 state, locks and kept replies. */
    void count(Counters counters) {
        counters.state(nfs4.counts())
                .layouts(nfs4.layoutCounts(), nfs4.dataServerCounts())
                .locks(locks, service)
                .replies(replies);
    }

    private static Nfs4Options nfs4Options(
            ServerConfig config, ServerLimits limits, @Nullable StateDirectory state, @Nullable ClusterSeat seat)
            throws ConfigException {
        return new Nfs4Options(
                config.lease(),
                config.lease(),
                state == null || seat != null ? null : state.part("nfs4"),
                Nfs4Options.DEFAULT_MAX_IO_BYTES,
                LayerLimits.state(limits, Nfs4Options.DEFAULT_MAX_IO_BYTES),
                config.dataPath().dataServers(),
                seat == null ? null : seat.log(),
                seat == null ? Gateways.NONE : seat.gateways());
    }

    @Override
    public void close() {
        nfs4.close();
        layoutFencing.close();
        notices.shutdownNow();
        lockThreads.shutdownNow();
    }
}
