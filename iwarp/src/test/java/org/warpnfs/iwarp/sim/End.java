package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.ProtectionDomain;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;

/**
 * One end of the connection: the upper layer of its queue pair, and a model of all that the queue pair has to do.
 * {@link #check} compares the queue pair with the model after each step.
 */
final class End implements QueuePairHandler {
    final Run run;
    final boolean initiator;
    final Scenario.EndChoices choices;
    final Program program;
    final WorkLog work = new WorkLog();
    final ReceiveLog receives = new ReceiveLog();

    /** Requests of the peer that have not been answered. */
    final Deque<Request> requests = new ArrayDeque<>();

    /** All regions that ever existed, by their STags. */
    final Map<Long, ModelRegion> byStag = new HashMap<>();

    final List<ModelRegion> regions = new ArrayList<>();
    End peer;
    Outbound outbound;
    Inbound inbound;
    TcpSegments segments;
    QueuePair queuePair;
    final Life life = new Life(this);

    private final Arena arena;
    private final SharedReceiveQueue shared;
    private final ProtectionDomain domain;

    /** A region that nobody uses. It is valid exactly as long as the stream. */
    ModelRegion probe;

    private boolean heardEstablished;
    private boolean heardHalfClosed;

    private DisconnectReason heard;

    private long nextId;

    End(Run run, boolean initiator, Arena arena, SharedReceiveQueue shared, ProtectionDomain domain, Program program) {
        this.run = run;
        this.initiator = initiator;
        this.choices = run.scenario.end(initiator);
        this.arena = arena;
        this.shared = shared;
        this.domain = domain;
        this.program = program;
    }

    @Override
    public String toString() {
        return initiator ? "initiator" : "responder";
    }

    ConnectOptions options() {
        ConnectOptions options = choices.options().in(domain);
        return shared == null ? options : options.receivingFrom(shared);
    }

    // What the upper layer does.

    long nextId() {
        return nextId++;
    }

    int roomBytes() {
        return arena.roomBytes();
    }

    ModelRegion register(int lengthBytes, Set<AccessRight> rights, boolean inDomain) {
        Arena.Span span = arena.take(lengthBytes, program.random);
        MemoryRegion registered =
                inDomain ? domain.register(span.memory(), rights) : queuePair.register(span.memory(), rights);
        ModelRegion region = new ModelRegion(registered, span, rights, inDomain);
        region.dead = over() && !inDomain;
        byStag.put(region.stag(), region);
        regions.add(region);
        return region;
    }

    /** Releases a region. Nobody may access its memory from now on. */
    void release(ModelRegion region) {
        region.region.invalidate();
        released(region);
    }

    private void released(ModelRegion region) {
        region.withdrawn = true;
        region.dead = true;
        region.readableUntil = outbound == null ? 0 : outbound.endOfBatch();
        executeAtomics();
        for (Request request : requests) {
            if (request.isAtomic() && request.region == region && !request.executed) {
                // The operation may have been executed without changing anything.
                request.original = region.span.expectedWord(request.offset);
            }
        }
        region.released = true;
        region.span.poison();
    }

    void postReceive(int capacityBytes) {
        int start = program.random.nextInt(9);
        ReceiveLog.Receive receive =
                new ReceiveLog.Receive(nextId(), arena.take(capacityBytes + 16, program.random), start, capacityBytes);
        receives.posted(receive);
        ByteBuffer buffer = receive.span.memory().position(start).limit(start + capacityBytes);
        if (shared != null) {
            shared.postReceive(receive.id, buffer);
        } else {
            queuePair.postReceive(receive.id, buffer);
        }
    }

    void post(Work posted) {
        posted.mustFlush = life.draining || over();
        if (posted.target != null) {
            posted.target.peerUses++;
        }
        if (posted.own != null) {
            posted.own.reads += posted.awaitsAnswer() ? 1 : 0;
            posted.own.turnUnknown |= !posted.awaitsAnswer();
        }
        work.posted(posted);
        run.trace(() -> this + " posts " + posted.request);
        queuePair.post(posted.request);
    }

    void disconnect() {
        life.disconnecting();
        run.trace(() -> this + " disconnects");
        queuePair.disconnect();
    }

    void abort() {
        life.aborting();
        run.trace(() -> this + " aborts");
        queuePair.abort("so the seed says");
    }

    // What arrives.

    /** Whether the queue pair ignores all that arrives. */
    boolean over() {
        return life.isOver();
    }

    boolean knows(int opcode) {
        return switch (opcode) {
            case Segment.IMMEDIATE, Segment.IMMEDIATE_SOLICITED ->
                choices.extensions().contains(RdmaExtension.IMMEDIATE_DATA);
            case Segment.ATOMIC_REQUEST, Segment.ATOMIC_RESPONSE ->
                choices.extensions().contains(RdmaExtension.ATOMIC_OPERATIONS);
            default -> true;
        };
    }

    /** The region for which an STag is valid here; null if there is none. */
    ModelRegion find(long stag) {
        ModelRegion region = byStag.get(stag);
        return region != null && !over() && region.valid() ? region : null;
    }

    /** Whether an STag is valid for anybody here, even if not for the peer. */
    boolean has(long stag) {
        ModelRegion region = byStag.get(stag);
        return region != null && (region.ofDomain || !over()) && region.valid();
    }

    void writeArrived(Work write) {
        if (write.target != null) {
            write.target.peerUses--;
        }
    }

    void readAnswered() {
        if (work.openingRead) {
            work.openingRead = false;
        } else {
            answered(work.reads.remove());
        }
    }

    void atomicAnswered(ByteBuffer response) {
        Work operation = work.atomics.remove();
        operation.original = response.getLong(4);
        answered(operation);
    }

    private void answered(Work request) {
        request.answered = true;
        if (request.target != null) {
            request.target.peerUses--;
        }
    }

    // What the queue pair reports.

    @Override
    public void created(QueuePair created) {
        queuePair = created;
        probe = register(8, EnumSet.of(AccessRight.REMOTE_READ), false);
        probe.withdrawn = true;
        program.prepare(this);
    }

    @Override
    public void established(QueuePair pair) {
        heardEstablished = true;
        program.heard(this);
    }

    @Override
    public void completed(QueuePair pair, Completion completion) {
        run.trace(() -> this + " hears " + completion);
        run.coverage.see(completion.status());
        switch (completion) {
            case Completion.Received received ->
                received(received, received.buffer(), received.solicitedEvent(), received.invalidatedStag());
            case Completion.ReceivedImmediate received -> {
                Broken.unless(
                        received.buffer().getLong(received.buffer().position()) == received.data(),
                        () -> this + ": Immediate Data that differ from the receive");
                received(received, received.buffer(), received.solicitedEvent(), OptionalLong.empty());
            }
            case Completion.Sent _, Completion.Written _, Completion.ImmediateSent _ -> workCompleted(completion);
            case Completion.ReadDone _, Completion.AtomicDone _, Completion.Invalidated _ -> workCompleted(completion);
        }
    }

    private void received(Completion completion, ByteBuffer buffer, boolean solicited, OptionalLong invalidated) {
        boolean due = !receives.due.isEmpty();
        Broken.unless(due || over() || heardHalfClosed, () -> this + ": a completion of nothing: " + completion);
        if (!due) {
            receives.takeFlushed(completion, shared != null).span.poison();
            return;
        }
        ReceiveLog.Delivery delivery = receives.take(completion);
        ReceiveLog.Receive receive = delivery.receive();
        if (completion.status() == CompletionStatus.SUCCESS) {
            Work message = delivery.message();
            Broken.unless(
                    buffer.position() == receive.start
                            && buffer.equals(ByteBuffer.wrap(message.content))
                            && solicited == message.solicited()
                            && invalidated.equals(delivery.invalidated()),
                    () -> this + ": " + completion + " is not what was sent: " + message.request);
            if (invalidated.isPresent()) {
                ModelRegion region = byStag.get(invalidated.getAsLong());
                Broken.unless(
                        !region.region.valid(), () -> this + ": the STag is valid when it is told that it is not");
                released(region);
            }
        }
        receive.span.poison();
    }

    private void workCompleted(Completion completion) {
        Work first = work.incomplete.poll();
        Broken.unless(
                first != null && first.request.id() == completion.workRequestId() && first.completesWith(completion),
                () -> this + ": " + completion + " in place of the oldest, " + first);
        switch (completion.status()) {
            case SUCCESS -> done(first, completion);
            case FLUSHED ->
                Broken.unless(
                        (over() || (first.mustFlush && (life.draining || heardHalfClosed))) && first != life.culprit(),
                        () -> this + ": " + completion + " without need of " + first);
            case REMOTE_ERROR, UNSUPPORTED ->
                Broken.unless(
                        life.mayBlame(first) && completion.status() == life.culpritStatus() && over(),
                        () -> this + ": " + completion + " of work that was not to blame");
            case LENGTH_ERROR -> throw new AssertionError(this + ": " + completion);
        }
        if (first.own != null && first.awaitsAnswer()) {
            first.own.reads--;
        }
        first.poison();
    }

    private void done(Work finished, Completion completion) {
        if (heardHalfClosed && finished.sendsSomething()) {
            run.coverage.see("sent half closed");
        }
        boolean ready = finished.awaitsAnswer() ? finished.answered : finished.left || !finished.sendsSomething();
        Broken.unless(ready && !finished.mustFlush, () -> this + ": " + completion + " before it was done");
        if (completion instanceof Completion.AtomicDone atomic) {
            Broken.unless(
                    atomic.originalValue() == finished.original,
                    () -> this + ": " + completion + " in place of " + Long.toHexString(finished.original));
        } else if (completion instanceof Completion.ReadDone) {
            ModelRegion sink = finished.own;
            Broken.unless(
                    sink.released || sink.span.memory().equals(sink.span.expected(0, sink.lengthBytes())),
                    () -> this + ": " + completion + ", but the sink holds something else");
        } else if (completion instanceof Completion.Invalidated) {
            Broken.unless(!finished.own.region.valid(), () -> this + ": " + completion + ", but it is valid");
            if (!finished.own.released) {
                released(finished.own);
            }
        }
    }

    @Override
    public void completionsDrained(QueuePair pair) {
        program.heard(this);
    }

    @Override
    public void halfClosed(QueuePair pair) {
        run.trace(() -> this + " hears that the peer has ended its direction");
        Broken.unless(
                life.halfClosed && !heardHalfClosed && receives.due.isEmpty(),
                () -> this + ": half closed out of turn");
        heardHalfClosed = true;
        work.answersOverKnown();
        program.halfClosed(this);
    }

    @Override
    public void disconnected(QueuePair pair, DisconnectReason reason) {
        run.trace(() -> this + " hears " + reason);
        run.coverage.see(reason.cause());
        Broken.unless(heard == null, () -> this + ": disconnected twice, now for " + reason);
        heard = reason;
        Broken.unless(
                over() && life.causes().contains(reason.cause()),
                () -> this + ": disconnected for " + reason + ", not for " + life.causes());
        Broken.unless(
                work.incomplete.isEmpty() && receives.due.isEmpty() && flushed(),
                () -> this + ": disconnected with work outstanding");
        for (ModelRegion region : regions) {
            if (region.ofDomain) {
                continue;
            }
            Broken.unless(!region.region.valid(), () -> this + ": a region outlives its stream");
            if (!region.released) {
                released(region);
            }
        }
    }

    private boolean flushed() {
        return shared == null
                ? receives.posted.isEmpty()
                : receives.posted.stream().noneMatch(receive -> receive.begun);
    }

    // What must hold.

    /** Called after each step. */
    void check() {
        if (queuePair == null) {
            return;
        }
        if (heard == null) {
            executeAtomics();
        }
        arena.check(toString());
        boolean isOver = over();
        Broken.unless(probe.region.valid() == !isOver, () -> this + ": goes on though it is over for " + life.causes());
        Broken.unless(receives.due.isEmpty(), () -> this + ": was not told " + receives.due.peek());
        Broken.unless(
                heardEstablished == life.established || (isOver && !heardEstablished),
                () -> this + ": established is " + life.established + ", heard " + heardEstablished);
        Broken.unless(
                heardHalfClosed == life.halfClosed || isOver,
                () -> this + ": half closed is " + life.halfClosed + ", heard " + heardHalfClosed);
        Broken.unless(
                queuePair.connected() == (life.established && !isOver && !life.draining && !life.halfClosed),
                () -> this + ": connected is " + queuePair.connected());
        Work oldest = work.incomplete.peek();
        Broken.unless(
                oldest == null || isOver || !(oldest.awaitsAnswer() && oldest.answered),
                () -> this + ": " + oldest + " is answered and not complete");
    }

    /** Executes in the model those atomic operations of the peer that the memory shows to have been executed. */
    private void executeAtomics() {
        for (Request first : requests) {
            if (!first.isAtomic() || first.executed || first.region.released) {
                continue;
            }
            long actual = first.region.span.word(first.offset);
            List<Request> chain = new ArrayList<>();
            long word = first.region.span.expectedWord(first.offset);
            for (Request next : requests) {
                boolean same = next.isAtomic() && next.region == first.region && next.offset == first.offset;
                if (word == actual || !same || next.executed) {
                    continue;
                }
                word = Work.execute(next.operation, word);
                chain.add(next);
            }
            if (word == actual) {
                chain.forEach(executed -> executed.execute(run.steps));
            }
        }
    }

    /** Called when nothing is left to happen and the stream has not ended. */
    void checkAtRest() {
        if (queuePair == null || over() || !life.established || !peer.life.established) {
            return;
        }
        Broken.unless(
                work.incomplete.isEmpty() || (peer.life.halfClosed && !life.halfClosed),
                () -> this + ": at rest with " + work.incomplete);
        Broken.unless(requests.isEmpty(), () -> this + ": at rest with requests unanswered");
        Broken.unless(
                peer.over() || life.halfClosed || peer.work.arrivesNoMore(),
                () -> this + ": at rest without " + peer.work.arriving);
        Broken.unless(
                !life.halfClosed || shared != null || receives.posted.isEmpty(),
                () -> this + ": at rest with receives for a peer that says nothing more");
    }

    /** Called when everything has ended. */
    void checkOver() {
        Broken.unless(queuePair == null || heard != null, () -> this + ": was never told of the end");
        Broken.unless(
                work.incomplete.isEmpty() && receives.due.isEmpty() && (queuePair == null || flushed()),
                () -> this + ": work outstanding after the end: " + work.incomplete);
        Broken.unless(
                heard == null || !heard.detail().contains("in time") || !life.established || run.stalledForGood,
                () -> this + ": work stood still until a time limit: " + heard);
        for (ModelRegion region : regions) {
            Broken.unless(
                    !region.ofDomain || region.region.valid() == region.valid(),
                    () -> this + ": a region of a domain is over with its stream");
        }
        domain.close();
        if (shared != null) {
            run.coverage.see("shared receives");
            Broken.unless(
                    shared.size() == receives.posted.size(), () -> this + ": " + shared.size() + " receives stay");
            shared.close();
        }
    }
}
