package org.warpnfs.nfs.v4;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Identity;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.fence.Fencing;
import org.warpnfs.nfs.locks.BackendLocking;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.locks.Locker;
import org.warpnfs.nfs.replay.CallChecksum;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;
import org.warpnfs.nfs.v4.attr.ServerFacts;
import org.warpnfs.nfs.v4.callback.CallbackClient;
import org.warpnfs.nfs.v4.callback.CallbackDialer;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.layout.DataServerCounts;
import org.warpnfs.nfs.v4.op.CompoundOrigin;
import org.warpnfs.nfs.v4.op.ListedAttributes;
import org.warpnfs.nfs.v4.op.Nfs4Services;
import org.warpnfs.nfs.v4.op.ReplyRoom;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackContext;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.LayoutCounts;
import org.warpnfs.nfs.v4.state.file.LockOwner;
import org.warpnfs.nfs.v4.state.recovery.FileRecoveryLog;
import org.warpnfs.nfs.v4.state.recovery.RecoveryLog;
import org.warpnfs.nfs.v4.state.recovery.VolatileRecoveryLog;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.xdr.PayloadXdr;
import org.warpnfs.payload.PayloadPool;

/**
 * Program 100003, version 4.
 *
 * <h2>Operation</h2>
 *
 * Many platform threads call it at the same time: event loops, and those of lanes, which may block. A call has been
 * answered when {@link #dispatchOncRpcCall} returns, with two exceptions. A call that goes on in another lane or waits
 * for memory is answered later ({@link CompoundRun}). A call of minor version 0 that repeats one in progress is
 * answered together with the first. Minor version 0 has no sessions, so repetitions of calls that changed something are
 * answered from a {@link ReplyCache}. For a session, the instance of a call's transport is the connection. So a
 * transport keeps one instance for as long as it lives, and calls {@link #connectionClosed} afterwards.
 *
 * <h2>Errors</h2>
 *
 * A defect in an operation is answered with SERVERFAULT and logged. A call that is not a COMPOUND at all is answered
 * with GARBAGE_ARGS. A credential that is not served is answered with the RPC authentication error for it.
 */
public final class Nfs4Program implements RpcDispatchable, LaneProgram, AutoCloseable {
    /** The program number of NFS. */
    public static final int PROGRAM = 100003;

    public static final int VERSION = 4;

    private static final Logger LOG = LoggerFactory.getLogger(Nfs4Program.class);

    private static final int NULL = 0;
    private static final int COMPOUND = 1;
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;

    private final CallbackClient callbacks;
    private final StateTable state;
    private final DataServerChoice dataServers;
    private final Nfs4Services services;
    private final Compound compound;
    private final ExportTable exports;
    private final CallRecorder recorder;
    private final OperationMeter nulls;
    private final ReplyCache replies;
    private final LongSupplier clockNanos;
    private volatile boolean closed;

    /**
     * Makes an instance whose calls are not measured.
     *
     * @throws IOException if the recovery journal is damaged or cannot be written; the message says which file and what
     *     to do
     */
    public Nfs4Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool pool,
            Nfs4Options options,
            ReplyCache replies,
            CallbackDialer dialer)
            throws IOException {
        this(exports, handles, pool, options, replies, dialer, CallRecorder.NONE);
    }

    /**
     * Starts a new instance of the server. Clients of an earlier instance may reclaim.
     *
     * @param replies replies of minor version 0, which has no sessions; one for all programs of a server
     * @param dialer makes connections for callbacks to NFSv4.0 clients; its owner closes it after this
     * @param recorder is told how calls end
     * @throws IOException if the recovery journal is damaged or cannot be written; the message says which file and what
     *     to do
     */
    public Nfs4Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool pool,
            Nfs4Options options,
            ReplyCache replies,
            CallbackDialer dialer,
            CallRecorder recorder)
            throws IOException {
        this(exports, handles, pool, options, replies, dialer, recorder, locksOf(options));
    }

    static LockService locksOf(Nfs4Options options) {
        return new LockService(
                options.limits().maxLocks(),
                ForkJoinPool.commonPool(),
                BackendLocking.on(ForkJoinPool.commonPool(), options.limits().maxLocks()));
    }

    /** @param locks the byte-range locks of all protocols */
    public Nfs4Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool pool,
            Nfs4Options options,
            ReplyCache replies,
            CallbackDialer dialer,
            CallRecorder recorder,
            LockService locks)
            throws IOException {
        this(exports, handles, pool, options, replies, dialer, recorder, locks, System::nanoTime);
    }

    Nfs4Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool pool,
            Nfs4Options options,
            ReplyCache replies,
            CallbackDialer dialer,
            LockService locks,
            LongSupplier clockNanos)
            throws IOException {
        this(exports, handles, pool, options, replies, dialer, CallRecorder.NONE, locks, clockNanos);
    }

    private Nfs4Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool pool,
            Nfs4Options options,
            ReplyCache replies,
            CallbackDialer dialer,
            CallRecorder recorder,
            LockService locks,
            LongSupplier clockNanos)
            throws IOException {
        int maxIoBytes = Math.min(options.maxIoBytes(), pool.maxLengthBytes());
        RecoveryLog log = logOf(options);
        this.exports = exports;
        this.replies = replies;
        this.clockNanos = clockNanos;
        this.callbacks = new CallbackClient(dialer, this::ended);
        this.state = new StateTable(
                options.limits(),
                options.lease().toNanos(),
                options.grace().toNanos(),
                log,
                callbacks,
                locks,
                clockNanos.getAsLong());
        ServerFacts facts = new ServerFacts(
                (int) options.lease().toSeconds(),
                maxIoBytes,
                maxIoBytes,
                exports.identities().owners(),
                options.dataServers().areUsed(),
                options.gateways());
        this.dataServers = new DataServerChoice(options.dataServers());
        this.services = new Nfs4Services(
                exports,
                handles,
                pool,
                state,
                facts,
                Opaque.of(log.serverIdentity()),
                dataServers,
                Opaque.of(log.serverOwner()),
                clockNanos);
        this.compound = new Compound(services, new CompoundMeters(recorder, Compound.LAST_MINOR_VERSION));
        this.recorder = recorder;
        this.nulls = recorder.meter(Metered.call("nfs", "4", "NULL"));
        if (locks.backends().isWanted()) {
            sweepLater();
        }
    }

    /** Strangers wait for what a client has left behind, even if no other client calls. */
    private void sweepLater() {
        CompletableFuture.delayedExecutor(state.sweepPauseNanos(), TimeUnit.NANOSECONDS, state.background())
                .execute(() -> {
                    if (!closed) {
                        sweep();
                        sweepLater();
                    }
                });
    }

    void sweep() {
        try {
            state.sweep(clockNanos.getAsLong());
        } catch (RuntimeException e) {
            LOG.error("What has outlived its time could not be ended: a defect of this server", e);
        }
    }

    private static RecoveryLog logOf(Nfs4Options options) throws IOException {
        RecoveryLog shared = options.sharedLog();
        if (shared != null) {
            return shared;
        }
        return options.stateDirectory() == null
                ? new VolatileRecoveryLog()
                : FileRecoveryLog.open(options.stateDirectory());
    }

    @Override
    public Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
        Lane first = exports.mayWaitForNames() ? Lane.SHORT : earliest;
        return procedure == COMPOUND ? CompoundLanes.ofCompound(arguments, first) : first;
    }

    @Override
    public void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
        if (call.getProgramVersion() != VERSION) {
            call.failProgramMismatch(VERSION, VERSION);
            return;
        }
        switch (call.getProcedure()) {
            case NULL -> {
                CallTimer.begin(recorder, nulls, new RpcOrigin(call)).ended("OK");
                call.reply(XdrVoid.XDR_VOID);
            }
            case COMPOUND -> compound(call);
            default -> call.failProcedureUnavailable();
        }
    }

    private void compound(RpcCall call) {
        Requester requester;
        try {
            requester = exports.requesterOf(call);
        } catch (RpcAuthException e) {
            call.reject(e.getStatus(), e.getRpcReply());
            return;
        }
        CompoundReader in = new CompoundReader(call.getXdr());
        Compound.Header header;
        try {
            header = Compound.Header.decode(in);
        } catch (Nfs4Exception e) {
            call.failRpcGarbage();
            return;
        }
        CompoundOrigin caller = new CompoundOrigin(
                requester,
                principalOf(requester.identity()),
                call.getTransport(),
                ReplyRoom.overheadBytes(
                        call.getCredential().getVerifier().getBody().length,
                        requester.identity().flavor()),
                PayloadXdr.maxInlineBytes(call.getXdr()),
                PayloadXdr.maxRangeBytes(call.getXdr()));
        CompoundCall received =
                new CompoundCall(compound, call, caller, header, in, executed -> probe(executed, call.getTransport()));
        if (header.minorVersion() == 0) {
            long arguments = CallChecksum.ofUnread(call.getXdr()) * 31 + header.hashCode();
            replies.answer(call, requester.identity(), arguments, received);
        } else {
            received.run();
        }
    }

    private void probe(Compound.Executed executed, RpcTransport connection) {
        if (executed.connectionBound()) {
            state.callbacks().probe(clockNanos.getAsLong(), connection);
        }
        Session changed = executed.changed();
        if (changed != null) {
            state.callbacks().probe(clockNanos.getAsLong(), changed);
        }
        Client confirmed = executed.confirmed();
        if (confirmed != null) {
            state.callbacks().probe(clockNanos.getAsLong(), confirmed);
        }
    }

    private void ended(CallbackCall call, CallbackOutcome outcome) {
        state.callbacks().answered(clockNanos.getAsLong(), call, outcome);
    }

    /** What programs of other versions must call before they change or read a file. */
    public FileChanges fileChanges() {
        return new ChangesOfOthers();
    }

    /** Files that programs of other versions change or read. */
    private final class ChangesOfOthers implements FileChanges {
        @Override
        public Change begin(FileIdentity file) throws FsException {
            try {
                return state.delegations().beginChange(clockNanos.getAsLong(), FileKey.of(file), null)::close;
            } catch (Nfs4Exception e) {
                throw FsException.of(FsError.TRY_LATER);
            }
        }

        @Override
        public Change beginInDirectory(FileIdentity directory) throws FsException {
            return state.delegations().mayDelegateDirectories() ? begin(directory) : () -> {};
        }

        @Override
        public boolean isChangedElsewhere(FileIdentity file) {
            return state.delegations().isWriteDelegated(FileKey.of(file));
        }

        @Override
        public Elsewhere askForListing() {
            ListedAttributes asked = new ListedAttributes(services);
            return file -> asked.of(file, null);
        }

        @Override
        public void beforeReading(FileIdentity file) throws FsException {
            try {
                state.delegations().requireNoWriter(clockNanos.getAsLong(), FileKey.of(file), null);
            } catch (Nfs4Exception e) {
                throw FsException.of(FsError.TRY_LATER);
            }
        }
    }

    /**
     * What programs of other versions must call when a lock of this one is in their way. Removes its client if the
     * client's lease has run out. Returns false if the lock stays.
     *
     * @throws FsException TRY_LATER if it has gone, but its locks keep others out until that is on stable storage
     */
    public boolean letGo(Locker owner) throws FsException {
        if (!(owner instanceof LockOwner own)) {
            return false;
        }
        boolean isForgotten = state.locks().expire(clockNanos.getAsLong(), own.client());
        if (!isForgotten && own.client().isGone()) {
            throw FsException.of(FsError.TRY_LATER);
        }
        return isForgotten;
    }

    /**
     * What programs of other versions must call before they reserve a file: notes the reservation, unless an open
     * denies one of these accesses or has one that is to be denied. Returns false if there is such an open.
     *
     * @throws FsException TRY_LATER if there is one whose client is leaving
     */
    public boolean reserve(FileIdentity file, int access, int deny, Runnable then) throws FsException {
        try {
            state.opens().reserve(clockNanos.getAsLong(), FileKey.of(file), access, deny, then);
            return true;
        } catch (Nfs4Exception e) {
            if (e.status() == Nfs4Status.SHARE_DENIED) {
                return false;
            }
            throw FsException.of(FsError.TRY_LATER);
        }
    }

    private static Principal principalOf(Identity identity) {
        return switch (identity) {
            case Identity.SystemUser user -> new Principal(AUTH_SYS, user.uid());
            case Identity.Anonymous _ -> new Principal(AUTH_NONE, 0);
            case Identity.KerberosUser user -> new Principal(Flavor.RPCSEC_GSS, 0, user.principal());
        };
    }

    /** Forgets a connection. Its sessions continue without it. */
    public void connectionClosed(RpcTransport transport) {
        state.sessions().connectionClosed(transport);
    }

    /** Sets how long a request waits for a client's answer to CB_GETATTR. */
    void setPatience(Duration patience) {
        state.delegations().setPatience(patience.toNanos());
    }

    /** Sets which delegations clients get from now on. */
    public void setDelegations(DelegationPolicy policy) {
        state.delegations().setPolicy(policy);
    }

    /** Lets clients be called with RPCSEC_GSS. To be called before they come. */
    public void setCallbackContexts(CallbackContext.Finder contexts) {
        state.callbacks().setContexts(contexts);
    }

    /** True during the grace period: clients of the previous instance may reclaim, and others wait. */
    public boolean isGraceRunning() {
        return state.isGraceRunning(clockNanos.getAsLong());
    }

    /** True while clients of this server may reclaim, whatever other servers of the same files do. */
    public boolean isRecovering() {
        return state.isRecovering(clockNanos.getAsLong());
    }

    /** Returns when every call that was permitted new state before has got it. */
    public void awaitPermitted() {
        state.awaitPermitted();
    }

    /** True while OPENs that were permitted before are creating their files. */
    public boolean isMaking() {
        return state.isMaking();
    }

    /** OPENs that are still creating their files get no opens during the grace period. */
    public void withdrawPermits() {
        state.withdrawPermits();
    }

    /** Must be called when a file system is no longer served. Revokes all state of its files. */
    public void withdraw(FileSystem fileSystem) {
        state.withdraw(fileSystem);
    }

    /** What an administrator can see and do. */
    public Nfs4Administration administration() {
        return new Nfs4Administration(state, clockNanos);
    }

    /** Amounts of state, for metrics. */
    public StateTable.Counts counts() {
        return state.counts();
    }

    /** Numbers of layouts, for metrics. */
    public LayoutCounts layoutCounts() {
        return state.layoutCounts();
    }

    /** Errors that clients have reported since the start, also at data servers that are none of ours. */
    public long dataServerErrors() {
        return dataServers.errors();
    }

    /** Says how layouts that end without their client are fenced. To be called before clients come. */
    public void setFencing(Fencing fencing) {
        state.layouts().setFencing(fencing);
    }

    /** What clients have reported of each data server, for metrics. */
    public List<DataServerCounts> dataServerCounts() {
        return dataServers.counts();
    }

    /** Closes all files. Clients may reclaim from the next instance. */
    @Override
    public void close() {
        closed = true;
        state.close();
        callbacks.close();
    }
}
