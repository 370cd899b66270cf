package org.warpnfs.nfs.v4;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.nfs.io.Lanes;
import org.warpnfs.nfs.io.MemoryWait;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.v4.op.AbsentFileSystem;
import org.warpnfs.nfs.v4.op.CallContext;
import org.warpnfs.nfs.v4.op.CompoundOrigin;
import org.warpnfs.nfs.v4.op.Nfs4Services;
import org.warpnfs.nfs.v4.op.Operation;
import org.warpnfs.nfs.v4.op.Operations;
import org.warpnfs.nfs.v4.op.Postponed;
import org.warpnfs.nfs.v4.op.Read;
import org.warpnfs.nfs.v4.op.ReadPlus;
import org.warpnfs.nfs.v4.op.SessionRules;
import org.warpnfs.nfs.v4.op.Statuses;
import org.warpnfs.nfs.v4.op.VolatileHandles;
import org.warpnfs.nfs.v4.state.client.CachedReply;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.payload.Payload;

/**
 * The execution of one COMPOUND.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 *   before an operation                                   what happens
 *   it belongs to a later lane than this thread           the COMPOUND goes on there, with this operation
 *   it finds on an event loop that it would have to wait  the same; it has done nothing yet
 *   it reads data, and memory for them is free            it is executed
 *   it reads data, and no memory is free                  the COMPOUND waits on no thread until it gets some
 *   it reads data, none is free, and the COMPOUND         DELAY: two that wait and hold memory could wait
 *     holds memory already                                for each other
 *   anything else                                         it is executed
 * </pre>
 *
 * A COMPOUND stops only between two operations. So no operation begins twice, and only what earlier operations have
 * left is carried over: here and in the {@link CallContext}. The slot of its session stays in use meanwhile.
 *
 * <h2>Buffers</h2>
 *
 * Results are collected in a {@link CompoundWriter}, which owns their payloads. Memory that was acquired for an
 * operation is released if the operation does not take it.
 *
 * <h2>Errors</h2>
 *
 * If its connection has ended or no thread takes it, the COMPOUND cannot go on. Then the next operation is answered
 * with DELAY. The slot or the reply cache keeps this answer, and a client that asks again begins with that operation.
 *
 * <p>For one thread at a time. A thread that hands it on to another must not use it afterwards.
 */
final class CompoundRun implements LaneTask {
    private static final Logger LOG = LoggerFactory.getLogger(CompoundRun.class);

    /** Limit for a COMPOUND without a session. In a session, the limit that the session was granted applies. */
    private static final int MAX_OPERATIONS = 64;
    /** Operation number and status, written before the operation executes. */
    private static final int RESULT_HEADER_BYTES = 8;

    private final Nfs4Services services;
    private final CompoundMeters.OfVersion meters;
    private final CallTimer timer;
    private final CallLanes lanes;
    private final CompoundReader in;
    private final CompoundWriter out;
    private final Consumer<Compound.@Nullable Executed> ended;
    private final CallContext call;
    private final int minorVersion;
    private final int count;
    private final int countAt;

    private Lane lane;
    private int index;
    private @Nullable Stopped stopped;
    private boolean isPutOff;
    private Nfs4Status lastStatus = Nfs4Status.OK;

    /** An operation that stopped on an event loop before it would have waited, or elsewhere because it needs memory. */
    private record Stopped(OpCode code, int payloadBytes, Postponed.Rest rest) {}

    /** What follows the last operation that this thread executes. */
    private sealed interface Next {
        /** The reply follows. */
        record End() implements Next {}

        /** The rest is executed in another lane. */
        record GoOn(Lane lane) implements Next {}

        /** The rest is executed when there is memory. */
        record WaitFor(int payloadBytes) implements Next {}
    }

    private static final Next END = new Next.End();

    /** Writes the part of the reply before the results. */
    CompoundRun(
            Nfs4Services services,
            CompoundMeters.OfVersion meters,
            CallTimer timer,
            CallLanes lanes,
            CompoundOrigin caller,
            Compound.Header header,
            CompoundReader in,
            CompoundWriter out,
            Consumer<Compound.@Nullable Executed> ended) {
        this.services = services;
        this.meters = meters;
        this.timer = timer;
        this.lanes = lanes;
        this.in = in;
        this.out = out;
        this.ended = ended;
        this.lane = lanes.lane();
        this.minorVersion = (int) header.minorVersion();
        this.count = (int) Math.min(header.operationCount(), Integer.MAX_VALUE);
        this.call = new CallContext(services, caller, minorVersion, count);
        in.limitTo(services.state().limits().maxRequestBytes());
        out.int32(Nfs4Status.OK.code());
        header.tag().encode(out);
        this.countAt = out.position();
        out.int32(0);
    }

    /** Executes the remaining operations on the present thread, after a wait. */
    @Override
    public void run() {
        timer.resumed();
        begin();
    }

    /** Executes the remaining operations, as far as they belong to the present thread's lane. */
    void begin() {
        Next next = null;
        try {
            next = executeAll();
        } finally {
            if (next == null) {
                end(null);
                failed();
            }
        }
        switch (next) {
            case Next.End _ -> finish();
            // The reply is already too long to be sent, so the rest of the COMPOUND need not be executed.
            case Next _ when !lanes.holds(out.heapBytes()) -> refused();
            case Next.GoOn(Lane later) -> {
                lane = later;
                lanes.proceed(later, this);
            }
            case Next.WaitFor(int payloadBytes) -> {
                lane = lane.compareTo(Lane.DATA) < 0 ? Lane.DATA : lane;
                MemoryWait.begin(services.pool(), lanes, payloadBytes, this::given);
            }
        }
    }

    /** Called when no thread takes the rest of the COMPOUND. */
    @Override
    public void refused() {
        isPutOff = true;
        run();
    }

    private void given(@Nullable Payload payload) {
        call.memory().give(payload);
        isPutOff = payload == null;
        run();
    }

    private void failed() {
        out.release();
        timer.ended(Nfs4Status.SERVERFAULT.name());
        ended.accept(null);
    }

    private void finish() {
        boolean isComplete = false;
        try {
            end(out);
            if (call.calling().sequence() instanceof SequenceOutcome.Replay replay) {
                out.truncate(0);
                replay.reply().encode(out);
            }
            isComplete = true;
        } finally {
            if (!isComplete) {
                failed();
            }
        }
        timer.ended(lastStatus.name());
        ended.accept(new Compound.Executed(
                call.calling().isConnectionBound(),
                call.calling().changed(),
                call.calling().confirmed(),
                call.effects().soFar()));
    }

    /** @param reply null if there is none */
    private void end(@Nullable CompoundWriter reply) {
        try {
            endSequence(reply);
        } finally {
            call.calling().end();
        }
    }

    private Next executeAll() {
        call.setMustNotWait(lane == Lane.EVENT_LOOP);
        while (index < count) {
            Next elsewhere = isPutOff ? null : stopped == null ? elsewhere() : takeMemoryOnce(stopped.payloadBytes());
            if (elsewhere != null) {
                return elsewhere;
            }
            call.advanceTo(index);
            Nfs4Status status = executeOne();
            if (stopped != null && lane == Lane.EVENT_LOOP) {
                return new Next.GoOn(CompoundLanes.ofPostponed(stopped.code()));
            }
            if (stopped != null) {
                // It goes on here when it has memory.
                continue;
            }
            index++;
            out.patch(countAt, index);
            if (status != Nfs4Status.OK) {
                lastStatus = status;
                out.patch(0, status.code());
                return END;
            }
            if (call.calling().sequence() instanceof SequenceOutcome.Replay) {
                return END;
            }
        }
        return END;
    }

    /** Where the COMPOUND has to go before its next operation; null if it can stay. */
    private @Nullable Next elsewhere() {
        OpCode code = OpCode.of(in.peek(), minorVersion);
        if (code == null || CompoundLanes.mayStay(code, lane) || isAnsweredWithoutExecuting()) {
            return null;
        }
        boolean reads = code == OpCode.READ || code == OpCode.READ_PLUS;
        if (lane == Lane.LONG && !reads) {
            return null;
        }
        ByteBuffer arguments = in.ahead(CompoundLanes.lookBytes(code));
        // One read for each call is enough for an event loop.
        Lane first = reads && out.holdsPayloads() && lane == Lane.EVENT_LOOP ? Lane.SHORT : lane;
        Lane wanted = CompoundLanes.of(code, arguments, first);
        if (wanted.compareTo(lane) > 0) {
            return new Next.GoOn(wanted);
        }
        if (!reads) {
            return null;
        }
        int payloadBytes = CompoundLanes.payloadBytes(code, arguments, maxReadBytes(code));
        boolean triesInPlace = code == OpCode.READ && call.triesInPlace(payloadBytes, out);
        if (lane == Lane.EVENT_LOOP && !Lanes.mayCopyOnEventLoop(payloadBytes)) {
            return triesInPlace ? null : new Next.GoOn(CompoundLanes.ofPostponed(code));
        }
        return triesInPlace && lane != Lane.EVENT_LOOP ? null : takeMemoryOnce(payloadBytes);
    }

    /** What {@link CallContext#maxReadBytes} will say when the operation is executed. */
    private int maxReadBytes(OpCode code) {
        boolean inline = code == OpCode.READ_PLUS;
        int headBytes = RESULT_HEADER_BYTES + (inline ? ReadPlus.HEAD_BYTES : Read.HEAD_BYTES);
        return call.maxReadBytes(inline, call.room().left(out, index == count - 1) - headBytes);
    }

    private @Nullable Next takeMemoryOnce(int payloadBytes) {
        if (payloadBytes == 0 || call.memory().isThere()) {
            return null;
        }
        Payload payload = services.pool().tryAcquire(lanes.client(), payloadBytes);
        call.memory().give(payload);
        boolean holds = !lanes.mayWait() || in.hasLent() || out.holdsPayloads();
        return payload == null && !holds ? new Next.WaitFor(payloadBytes) : null;
    }

    private boolean isAnsweredWithoutExecuting() {
        return index > 0 && call.calling().sequence() instanceof SequenceOutcome.ReplayUncached;
    }

    private Nfs4Status executeOne() {
        int start = out.position();
        int number = OpCode.ILLEGAL;
        Nfs4Status status;
        OpCode code = null;
        Stopped before = stopped;
        stopped = null;
        try {
            number = before == null ? in.int32() : before.code().number();
            code = before == null ? OpCode.of(number, minorVersion) : before.code();
            out.int32(code == null ? OpCode.ILLEGAL : number);
            out.int32(Nfs4Status.OK.code());
            status = Statuses.in(minorVersion, runOne(code, before == null ? null : before.rest()));
        } catch (Nfs4Exception e) {
            // Not even the operation number could be decoded.
            out.int32(number);
            status = Statuses.in(minorVersion, e.status());
            out.int32(status.code());
        } finally {
            // One that has stopped takes memory again in its lane, so it holds none while it waits for a thread.
            call.memory().release();
        }
        if (stopped != null) {
            out.truncate(start);
            return Nfs4Status.OK;
        }
        call.effects().ended(status);
        out.patch(start + Integer.BYTES, status.code());
        if (code == OpCode.SETATTR && status != Nfs4Status.OK && out.position() == start + RESULT_HEADER_BYTES) {
            // The attributes that were set follow every status. Here they are none.
            out.int32(0);
        }
        call.endTurn(status, out, start + RESULT_HEADER_BYTES);
        timer.operationEnded(meters.operation(code), status.name());
        return status;
    }

    /** @param rest what is left of an operation that has stopped on an event loop; null for any other */
    private Nfs4Status runOne(@Nullable OpCode code, Postponed.@Nullable Rest rest) {
        int body = out.position();
        try {
            if (code == null) {
                return Nfs4Status.OP_ILLEGAL;
            }
            Nfs4Status fault = minorVersion == 0
                    ? null
                    : SessionRules.faultOf(code, index, count, call.calling().sequence() != null);
            if (fault != null) {
                return fault;
            }
            if (call.calling().sequence() == null && count > MAX_OPERATIONS && code != OpCode.SEQUENCE) {
                return Nfs4Status.TOO_MANY_OPS;
            }
            if (isAnsweredWithoutExecuting()) {
                return Nfs4Status.RETRY_UNCACHED_REP;
            }
            Operation operation = Operations.of(code, minorVersion);
            if (operation == null) {
                return Nfs4Status.NOTSUPP;
            }
            call.room().require(out.sizeBytes() + operation.leastReplyBytes(), call.isLastOperation());
            call.begin(operation);
            if (isPutOff) {
                return Nfs4Status.DELAY;
            }
            if (AbsentFileSystem.stops(code, call)) {
                return Nfs4Status.MOVED;
            }
            if (rest == null) {
                operation.execute(call, in, out);
            } else {
                rest.execute();
            }
            call.room().require(out.sizeBytes(), call.isLastOperation());
            return Nfs4Status.OK;
        } catch (Postponed e) {
            stopped = new Stopped(code, e.payloadBytes(), e.rest());
            return Nfs4Status.OK;
        } catch (Nfs4Exception e) {
            out.truncate(body);
            e.encodeBody(out);
            return fitting(e.status(), body);
        } catch (FsException e) {
            out.truncate(body);
            return VolatileHandles.statusOf(e.error(), call);
        } catch (RuntimeException e) {
            LOG.error("{} failed: a defect of this server", code, e);
            out.truncate(body);
            return Nfs4Status.SERVERFAULT;
        }
    }

    /** The status of a failure whose body was encoded, or that of a reply which has no room for the body. */
    private Nfs4Status fitting(Nfs4Status status, int body) {
        try {
            call.room().require(out.sizeBytes(), true);
            return status;
        } catch (Nfs4Exception e) {
            out.truncate(body);
            return e.status();
        }
    }

    private void endSequence(@Nullable CompoundWriter reply) {
        if (call.calling().sequence() instanceof SequenceOutcome.Execute execution) {
            CachedReply kept = null;
            try {
                kept = reply != null && call.calling().cacheReply() ? new CachedReply(reply.toByteArray()) : null;
            } finally {
                services.state().sessions().endSequence(services.clockNanos().getAsLong(), execution, kept);
            }
        }
    }
}
