package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.io.Lanes;
import org.warpnfs.nfs.io.MemoryWait;
import org.warpnfs.nfs.replay.EncodedReply;
import org.warpnfs.nfs.replay.RememberedCall;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.OperationMeter;
import org.warpnfs.nfs.xdr.PayloadXdr;

/**
 * Processes a call from its arguments to its reply, for NFS and for its side program. A READ that finds no memory goes
 * on later, on another thread ({@link MemoryWait}), and so does a call on an event loop that would have to wait.
 *
 * <p>Safe for any thread; blocks as the backend does.
 */
final class Nfs3Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Nfs3Dispatcher.class);

    private final Nfs3Server server;
    private final CallRecorder recorder;

    Nfs3Dispatcher(Nfs3Server server, CallRecorder recorder) {
        this.server = server;
        this.recorder = recorder;
    }

    /** See {@link org.warpnfs.nfs.export.ExportTable#mayWaitForNames}. */
    boolean mayWaitForNames() {
        return server.exports().mayWaitForNames();
    }

    /**
     * Decodes, performs and answers a call of {@code procedure}. Calls that are answered from the reply cache are not
     * measured.
     */
    <A> void dispatch(RpcCall rpc, Nfs3Procedure<A> procedure, OperationMeter meter) {
        CallTimer timer = CallTimer.begin(recorder, meter, new RpcOrigin(rpc));
        Requester requester;
        try {
            requester = server.exports().requesterOf(rpc);
        } catch (RpcAuthException e) {
            rpc.reject(e.getStatus(), e.getRpcReply());
            return;
        }
        A args = decode(rpc, procedure);
        if (args == null) {
            rpc.failRpcGarbage();
            return;
        }
        Nfs3Call call = new Nfs3Call(server, requester, PayloadXdr.maxRangeBytes(rpc.getXdr()));
        if (procedure.isRemembered()) {
            server.replies()
                    .answer(
                            rpc,
                            requester.identity(),
                            procedure.checksum(args),
                            new Remembered<>(rpc, procedure, call, args, timer));
            return;
        }
        CallLanes lanes = Lanes.of(rpc);
        if (lanes.lane() == Lane.EVENT_LOOP) {
            answerHere(rpc, lanes, procedure, call, args, timer);
        } else {
            answerWithMemory(rpc, lanes, procedure, call, args, timer);
        }
    }

    private <A> void answerWithMemory(
            RpcCall rpc, CallLanes lanes, Nfs3Procedure<A> procedure, Nfs3Call call, A args, CallTimer timer) {
        int payloadBytes = procedure.payloadBytes(args, server.options());
        if (payloadBytes == 0) {
            answer(rpc, procedure, call, args, timer);
        } else if (!answers(rpc, timer, () -> tried(procedure, call, args, procedure::runWithoutMemory))) {
            MemoryWait.take(server.payloads(), lanes, payloadBytes, payload -> {
                timer.given();
                call.memory().give(payload);
                answer(rpc, procedure, call, args, timer);
            });
        }
    }

    /** Answers a call on an event loop, or passes it to another lane if it would have to wait. */
    private <A> void answerHere(
            RpcCall rpc, CallLanes lanes, Nfs3Procedure<A> procedure, Nfs3Call call, A args, CallTimer timer) {
        if (answers(rpc, timer, () -> tryRunWithMemory(lanes, procedure, call, args))) {
            return;
        }
        var _ = lanes.holds(0);
        lanes.proceed(Nfs3Lanes.ofPostponed(rpc.getProcedure()), new LaneTask() {
            @Override
            public void run() {
                answerWithMemory(rpc, lanes, procedure, call, args, timer);
            }

            @Override
            public void refused() {
                Nfs3Reply later = failure(procedure, call.blind(), args, Nfs3Status.JUKEBOX);
                timer.ended(later.status().name());
                rpc.reply(later);
            }
        });
    }

    private interface Attempt {
        /** Null if there is no reply yet. */
        @Nullable
        Nfs3Reply reply();
    }

    private static boolean answers(RpcCall rpc, CallTimer timer, Attempt attempt) {
        try (Nfs3Reply reply = attempt.reply()) {
            if (reply != null) {
                timer.ended(reply.status().name());
                rpc.reply(reply);
            }
            return reply != null;
        }
    }

    /**
     * Null if it would have to wait for the memory of its data, or as {@link #tried}. Holds no memory then. Takes none
     * if the data are too long to be copied here.
     */
    private <A> @Nullable Nfs3Reply tryRunWithMemory(
            CallLanes lanes, Nfs3Procedure<A> procedure, Nfs3Call call, A args) {
        int payloadBytes = procedure.payloadBytes(args, server.options());
        boolean copies = payloadBytes > 0 && Lanes.mayCopyOnEventLoop(payloadBytes);
        if (copies) {
            call.memory().give(server.payloads().tryAcquire(lanes.client(), payloadBytes));
        }
        try {
            return copies && !call.memory().isThere() ? null : tried(procedure, call, args, procedure::tryRun);
        } finally {
            call.memory().release();
        }
    }

    private interface Way<A> {
        @Nullable
        Nfs3Reply run(Nfs3Call call, A args) throws FsException, Nfs3Exception;
    }

    /**
     * Performs a procedure on an event loop, or without memory; null if it has to be performed on another thread, or
     * with memory. That is so too if it fails, since the attributes in the reply to an error may have to be read from a
     * disk.
     */
    private static <A> @Nullable Nfs3Reply tried(Nfs3Procedure<A> procedure, Nfs3Call call, A args, Way<A> way) {
        try {
            return way.run(call, args);
        } catch (FsException | Nfs3Exception e) {
            return null;
        } catch (RuntimeException e) {
            LOG.error("{} failed: a defect of this server", procedure.getClass().getName(), e);
            return failure(procedure, call.blind(), args, Nfs3Status.SERVERFAULT);
        }
    }

    private static <A> void answer(RpcCall rpc, Nfs3Procedure<A> procedure, Nfs3Call call, A args, CallTimer timer) {
        try (Nfs3Reply reply = run(procedure, call, args)) {
            timer.ended(reply.status().name());
            rpc.reply(reply);
        } finally {
            call.memory().release();
        }
    }

    /** A call that must not be performed twice. */
    private record Remembered<A>(RpcCall rpc, Nfs3Procedure<A> procedure, Nfs3Call call, A args, CallTimer timer)
            implements RememberedCall {
        @Override
        public void perform(Consumer<@Nullable Outcome> ended) {
            ended.accept(outcome());
        }

        private Outcome outcome() {
            try (Nfs3Reply reply = run(procedure, call, args)) {
                EncodedReply encoded = EncodedReply.of(reply);
                timer.ended(reply.status().name());
                // JUKEBOX means that nothing was done, and the client will ask again.
                return reply.status() == Nfs3Status.JUKEBOX
                        ? new Outcome.Passing(encoded)
                        : new Outcome.Kept(encoded, procedure.isRepeatable());
            }
        }

        @Override
        public void answer(EncodedReply reply) {
            rpc.reply(reply);
        }

        @Override
        public CallOnThread.@Nullable Described described() {
            return Lanes.describedOf(rpc);
        }

        @Override
        public void putOff() {
            rpc.reply(failure(procedure, call.blind(), args, Nfs3Status.JUKEBOX));
        }

        @Override
        public void fail() {
            rpc.failRpcSystem();
        }
    }

    private static <A> @Nullable A decode(RpcCall rpc, Nfs3Procedure<A> procedure) {
        Arguments<A> arguments = new Arguments<>(procedure);
        try {
            rpc.retrieveCall(arguments);
            return arguments.decoded;
        } catch (IOException e) {
            LOG.debug("garbage arguments of procedure {}: {}", rpc.getProcedure(), e.getMessage());
            return null;
        } catch (RuntimeException e) {
            LOG.error("arguments of procedure {} could not be decoded: a defect of this server", rpc.getProcedure(), e);
            return null;
        }
    }

    private static <A> Nfs3Reply run(Nfs3Procedure<A> procedure, Nfs3Call call, A args) {
        try {
            return procedure.run(call, args);
        } catch (FsException e) {
            return failure(procedure, call, args, Nfs3Status.of(e.error()));
        } catch (Nfs3Exception e) {
            return failure(procedure, call, args, e.status());
        } catch (RuntimeException e) {
            LOG.error("{} failed: a defect of this server", procedure.getClass().getName(), e);
            return failure(procedure, call.blind(), args, Nfs3Status.SERVERFAULT);
        }
    }

    private static <A> Nfs3Reply failure(Nfs3Procedure<A> procedure, Nfs3Call call, A args, Nfs3Status status) {
        try {
            return new Nfs3Reply(status, procedure.failed(call, args));
        } catch (RuntimeException e) {
            LOG.error(
                    "{} failed twice: a defect of this server",
                    procedure.getClass().getName(),
                    e);
            return new Nfs3Reply(Nfs3Status.SERVERFAULT, procedure.failed(call.blind(), args));
        }
    }

    /** Decodes the arguments when oncrpc4j asks for them. */
    private static final class Arguments<A> implements XdrAble {
        private final Nfs3Procedure<A> procedure;
        private @Nullable A decoded;

        Arguments(Nfs3Procedure<A> procedure) {
            this.procedure = procedure;
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            decoded = procedure.decode(xdr);
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException("a server does not send calls");
        }
    }
}
