package org.warpnfs.rpcrdma.oncrpc;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.MismatchInfo;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuth;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcException;
import org.dcache.oncrpc4j.rpc.RpcMessageType;
import org.dcache.oncrpc4j.rpc.RpcRejectStatus;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneExecutor;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.gss.GssLayer;
import org.warpnfs.rpcrdma.gss.SecuredCall;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;

/**
 * Parses RPC call headers (RFC 5531, section 9) and runs programs.
 *
 * <h2>Operation</h2>
 *
 * A call runs from its header to its reply on one thread. A program that is a {@link LaneProgram} names the lane of
 * that thread: the connection's event loop, for a call that does not wait, or a thread of the executor. A program may
 * also continue the call on another thread ({@link CallLanes}), or answer later on a thread of its own.
 *
 * <h2>Buffers</h2>
 *
 * See {@link CallXdr}.
 *
 * <h2>Errors</h2>
 *
 * A call that cannot be run is answered according to RFC 5531. If a program throws or its reply cannot be encoded, the
 * answer is SYSTEM_ERR, which is counted and logged. So an accepted call always ends.
 */
public final class OncRpcDispatcher implements InboundHandlerFactory {
    private static final Logger LOG = LoggerFactory.getLogger(OncRpcDispatcher.class);
    private static final int RPC_VERSION = 2;

    /** Longer bodies are verified or decrypted among the calls that move data. */
    private static final int MAX_SHORT_BODY_BYTES = 8192;

    private final ProgramTable programs;
    private final LaneExecutor executor;
    private final TransportStatistics statistics;
    private final UpperLayerBindings bindings;
    private final Consumer<RpcTransport> disconnected;
    private final @Nullable GssLayer gss;
    private final AnsweredCalls answered = new AnsweredCalls();
    private final Set<ConnectionTransport> open = ConcurrentHashMap.newKeySet();

    /** Creates a dispatcher with the bindings of {@link UpperLayerBindings#RFC_8267}. */
    public OncRpcDispatcher(
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            TransportStatistics statistics,
            Consumer<RpcTransport> disconnected) {
        this(programs, executor, statistics, UpperLayerBindings.RFC_8267, disconnected, null);
    }

    /**
     * @param executor runs the programs, many calls at once; in lanes if it is a {@link LaneExecutor}
     * @param bindings the bindings of programs that pass no payloads
     * @param disconnected is called for each connection that has ended, on a thread of the executor while there is one;
     *     calls of that connection may still be running
     * @param gss opens calls with a credential of RPCSEC_GSS, one for all transports of a server; null if such calls
     *     are denied
     */
    public OncRpcDispatcher(
            Map<OncRpcProgram, RpcDispatchable> programs,
            Executor executor,
            TransportStatistics statistics,
            UpperLayerBindings bindings,
            Consumer<RpcTransport> disconnected,
            @Nullable GssLayer gss) {
        this.programs = new ProgramTable(programs);
        this.executor = LaneExecutor.over(executor);
        this.statistics = statistics;
        this.bindings = bindings;
        this.disconnected = disconnected;
        this.gss = gss;
    }

    @Override
    public InboundHandler opened(RpcConnection connection) {
        ConnectionTransport transport = new ConnectionTransport(connection, this);
        if (connection.lasts()) {
            open.add(transport);
        }
        return transport;
    }

    /** A connection has ended. {@link #disconnected} reports it later. */
    void closed(ConnectionTransport transport) {
        open.remove(transport);
    }

    /** The calls of all connections so far; a live view. */
    public AnsweredCalls answered() {
        return answered;
    }

    /** The connections that are open now, in no particular order. */
    public List<OpenConnection> connections() {
        return List.copyOf(open);
    }

    /** See {@link LaneExecutor#execute(Lane, ClientAddress, LaneTask)}. */
    void execute(Lane lane, ClientAddress client, LaneTask task) {
        executor.execute(lane, client, task);
    }

    /**
     * Runs a task that is not a call and may take long, neither on the event loop nor behind calls. Runs it on this
     * thread if the service is closing.
     */
    void runAside(ClientAddress client, Runnable task) {
        LaneTask once = new LaneTask() {
            @Override
            public void run() {
                task.run();
            }

            @Override
            public void refused() {
                task.run();
            }
        };
        try {
            executor.executeAside(client, once);
        } catch (RejectedExecutionException e) {
            once.refused();
        }
    }

    /**
     * The lane in which a call starts. The call's header is read and rewound.
     *
     * @param mayRunHere whether that may be {@link Lane#EVENT_LOOP}
     */
    Lane laneOf(XdrStream call, boolean mayRunHere) {
        if (gss != null) {
            switch (GssLayer.workOf(call)) {
                case NONE -> {}
                case HEADER -> {
                    return LaneLook.laneOf(call, programs, Lane.SHORT);
                }
                case BODY -> {
                    return call.remainingBytes() > MAX_SHORT_BODY_BYTES ? Lane.DATA : Lane.SHORT;
                }
                case TOKEN -> {
                    return Lane.LONG;
                }
            }
        }
        return LaneLook.laneOf(call, programs, mayRunHere ? executor.earliest() : Lane.SHORT);
    }

    /**
     * The call as its program gets it; null if it has been answered or dropped. What its credential demands is done
     * here, on this thread.
     */
    @Nullable
    InboundCall opened(InboundCall call, ClientAddress client) {
        if (gss == null || call instanceof SecuredCall || GssLayer.workOf(call.arguments()) == GssLayer.Work.NONE) {
            return call;
        }
        try {
            return gss.open(call, client);
        } catch (RuntimeException | Error e) {
            statistics.increment(Counter.SYSTEM_ERRORS);
            LOG.error("a call of {} could not be opened", client, e);
            try {
                call.drop();
            } catch (IllegalStateException ended) {
                LOG.debug("it has ended before", ended);
            }
            return null;
        }
    }

    /**
     * The lane of a call that was opened in {@code lane}: that one, or a later one. A long body that was decrypted must
     * not wait for another lane: it lies on the heap, which nothing but the number of threads bounds.
     */
    Lane laneOfOpened(InboundCall opened, Lane lane) {
        if (!(opened instanceof SecuredCall secured)
                || (secured.isProtected() && opened.arguments().remainingBytes() > MAX_SHORT_BODY_BYTES)) {
            return lane;
        }
        Lane own = LaneLook.laneOf(opened.arguments(), programs, Lane.SHORT);
        return own.compareTo(lane) > 0 ? own : lane;
    }

    /** See {@link LaneExecutor#mayAnswer}. */
    boolean mayAnswer() {
        return executor.mayAnswer();
    }

    /** A call begins on the event loop. */
    void beginsHere() {
        statistics.increment(Counter.CALLS_INLINE);
    }

    /** A call that began on the event loop leaves it. */
    void postponed() {
        statistics.increment(Counter.CALLS_POSTPONED);
    }

    void disconnected(RpcTransport transport) {
        disconnected.accept(transport);
    }

    /** @param arrivedNanos {@link System#nanoTime} at the time when the call was complete */
    void dispatch(ConnectionTransport transport, InboundCall inbound, Lane lane, long arrivedNanos) {
        CallXdr xdr = new CallXdr(inbound, transport, this, lane, arrivedNanos);
        RpcCall unparsed = null;
        CallOnThread.Described around = CallOnThread.begin(xdr);
        try {
            int xid = xdr.xdrDecodeInt();
            xdr.named(xid);
            if (xdr.xdrDecodeInt() != RpcMessageType.CALL) {
                LOG.debug("{}: a message is not a call", transport);
                xdr.drop();
                return;
            }
            unparsed = new RpcCall(xid, 0, 0, 0, new RpcAuthTypeNone(), xdr, transport);
            RpcCall call = parse(xid, xdr, transport, unparsed, inbound);
            if (call != null) {
                run(call, xdr);
            }
        } catch (BadXdrOncRpcException e) {
            if (unparsed == null) {
                xdr.drop();
            } else {
                garbage(unparsed, e);
            }
        } catch (Throwable e) {
            // Also for an Error: the credit must be given back in any case.
            statistics.increment(Counter.SYSTEM_ERRORS);
            LOG.error("{}: a call could not be dispatched", transport, e);
            xdr.drop();
        } finally {
            CallOnThread.end(around);
        }
    }

    private @Nullable RpcCall parse(
            int xid, CallXdr xdr, ConnectionTransport transport, RpcCall unparsed, InboundCall inbound)
            throws BadXdrOncRpcException {
        if (xdr.xdrDecodeInt() != RPC_VERSION) {
            statistics.increment(Counter.RPC_VERSION_DENIED);
            unparsed.reject(RpcRejectStatus.RPC_MISMATCH, new MismatchInfo(RPC_VERSION, RPC_VERSION));
            return null;
        }
        int program = xdr.xdrDecodeInt();
        int version = xdr.xdrDecodeInt();
        int procedure = xdr.xdrDecodeInt();
        CallTrace.dispatched(xid, transport, program, version, procedure);
        try {
            RpcAuth credential = inbound instanceof SecuredCall secured
                    ? CredentialParser.verified(xdr, secured.caller())
                    : transport.credentials().parse(xdr);
            return new RpcCall(xid, program, version, procedure, credential, xdr, transport);
        } catch (RpcAuthException e) {
            statistics.increment(Counter.AUTH_DENIED);
            LOG.debug("{}: a call is denied: {}", transport, e.getMessage());
            unparsed.reject(e.getStatus(), e.getRpcReply());
            return null;
        }
    }

    private void run(RpcCall call, CallXdr xdr) {
        RpcDispatchable program = programs.find(call.getProgram(), call.getProgramVersion());
        if (program == null) {
            refuse(call);
            return;
        }
        xdr.begun(call, bindings);
        try {
            program.dispatchOncRpcCall(call);
            xdr.requireSent();
        } catch (RpcException e) {
            if (!xdr.answered()) {
                statistics.increment(Counter.AUTH_DENIED);
                call.reject(e.getStatus(), e.getRpcReply());
            }
        } catch (OncRpcException | BadXdrOncRpcException e) {
            if (!xdr.answered()) {
                garbage(call, e);
            }
        } catch (IOException | RuntimeException | Error e) {
            failed(call, xdr, e);
        }
    }

    /** Runs the rest of a call on another thread than its beginning. */
    void goOn(RpcCall call, CallXdr xdr, Runnable rest) {
        CallOnThread.Described around = CallOnThread.begin(xdr);
        try {
            rest.run();
            xdr.requireSent();
        } catch (RuntimeException | Error e) {
            try {
                failed(call, xdr, e);
            } catch (RuntimeException | Error again) {
                LOG.error("{}: a call could not be answered", call.getTransport(), again);
                xdr.drop();
            }
        } finally {
            CallOnThread.end(around);
        }
    }

    private void failed(RpcCall call, CallXdr xdr, Throwable why) {
        statistics.increment(Counter.SYSTEM_ERRORS);
        LOG.error("a call of {} failed", call.getTransport(), why);
        if (!xdr.answered()) {
            call.failRpcSystem();
        }
    }

    private void refuse(RpcCall call) {
        ProgramTable.Versions versions = programs.versionsOf(call.getProgram());
        if (versions == null) {
            statistics.increment(Counter.PROG_UNAVAIL);
            call.failProgramUnavailable();
        } else {
            statistics.increment(Counter.PROG_MISMATCH);
            call.failProgramMismatch(versions.lowest(), versions.highest());
        }
    }

    private void garbage(RpcCall call, IOException why) {
        statistics.increment(Counter.GARBAGE_ARGS);
        LOG.debug("the arguments of a call of {} cannot be decoded: {}", call.getTransport(), why.getMessage());
        call.failRpcGarbage();
    }
}
