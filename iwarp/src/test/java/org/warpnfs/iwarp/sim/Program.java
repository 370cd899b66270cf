package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The actions of an upper layer: random work of every kind within the rules. It is told outside of the connection what
 * the other end has posted and registered, and releases nothing that the other end may still use.
 */
final class Program {
    private static final int KINDS = 15;
    private static final List<Set<AccessRight>> RIGHTS = List.of(
            EnumSet.of(AccessRight.REMOTE_WRITE),
            EnumSet.of(AccessRight.REMOTE_READ),
            EnumSet.of(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ),
            EnumSet.of(AccessRight.LOCAL_WRITE),
            EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ),
            EnumSet.of(AccessRight.REMOTE_ATOMIC),
            EnumSet.of(AccessRight.REMOTE_ATOMIC, AccessRight.REMOTE_READ));

    /** The number of rights that do not need direct memory. */
    private static final int ORDINARY_RIGHTS = 5;

    final SplittableRandom random;
    private final Scenario scenario;

    /** The action that it does more often than others. Much work of one kind finds more than a little of all kinds. */
    private final int favourite;

    private int actionsLeft;

    Program(Scenario scenario, SplittableRandom random) {
        this.scenario = scenario;
        this.random = random;
        this.favourite = random.nextInt(KINDS);
        this.actionsLeft = scenario.actions;
    }

    boolean finished() {
        return actionsLeft == 0;
    }

    /** Called before anything has been exchanged. */
    void prepare(End end) {
        for (int receives = random.nextInt(6); receives > 0; receives--) {
            postReceive(end);
        }
        for (int regions = random.nextInt(1, 5); regions > 0; regions--) {
            register(end);
        }
    }

    /** The queue pair has reported something. */
    void heard(End end) {
        if (actionsLeft > 0 && random.nextInt(3) == 0) {
            act(end);
        }
    }

    /** The peer sends nothing more. We either end too, or go on for a while. */
    void halfClosed(End end) {
        if (finished() || random.nextBoolean()) {
            end.disconnect();
        }
    }

    /** Performs one action. */
    void act(End end) {
        actionsLeft--;
        if (end.queuePair == null) {
            return;
        }
        if (end.over() || end.life.draining) {
            afterwards(end);
        } else if (end.life.halfClosed && random.nextInt(10) == 0) {
            end.disconnect();
        } else {
            switch (random.nextInt(3) == 0 ? favourite : random.nextInt(KINDS)) {
                case 0, 1, 2 -> postReceive(end);
                case 3 -> register(end);
                case 4, 5 -> send(end);
                case 6, 7 -> write(end);
                case 8, 9 -> read(end);
                case 10 -> atomic(end);
                case 11 -> immediate(end);
                case 12 -> release(end);
                case 13 -> invalidateOwn(end);
                default -> invalidatePeers(end);
            }
        }
        if (random.nextInt(4) > 0 || finished()) {
            end.queuePair.flush();
        }
    }

    /** Posts work that is too late, which must complete all the same. */
    private void afterwards(End end) {
        switch (random.nextInt(3)) {
            case 0 -> end.post(message(end, 10, OptionalLong.empty(), null, false));
            case 1 -> postReceive(end);
            default -> {}
        }
    }

    private void postReceive(End end) {
        int bytes = random.nextInt(5) == 0 ? random.nextInt(8) : random.nextInt(scenario.maxBytes);
        if (end.roomBytes() > bytes + 16) {
            end.postReceive(bytes);
        }
    }

    private ModelRegion register(End end) {
        int kinds = end.choices.direct() ? RIGHTS.size() : ORDINARY_RIGHTS;
        return register(end, RIGHTS.get(random.nextInt(kinds)));
    }

    private ModelRegion register(End end, Set<AccessRight> rights) {
        int bytes = rights.contains(AccessRight.REMOTE_ATOMIC)
                ? random.nextInt(Long.BYTES, 40)
                : random.nextInt(scenario.maxBytes);
        return end.roomBytes() > bytes ? end.register(bytes, rights, random.nextInt(6) == 0) : null;
    }

    private void send(End end) {
        int capacity = end.peer.receives.capacityFor(end.work.messages);
        if (capacity >= 0) {
            end.post(message(end, random.nextInt(capacity + 1), OptionalLong.empty(), null, fence()));
        }
    }

    Work message(End end, int bytes, OptionalLong invalidate, ModelRegion target, boolean fence) {
        byte[] content = content(bytes);
        List<ByteBuffer> pieces = pieces(content);
        WorkRequest send = new WorkRequest.Send(end.nextId(), pieces, random.nextBoolean(), invalidate, fence);
        return new Work(send, content, pieces, target, null);
    }

    private void immediate(End end) {
        if (bothKnow(end, RdmaExtension.IMMEDIATE_DATA) && end.peer.receives.capacityFor(end.work.messages) >= 8) {
            end.post(immediate(end, fence()));
        }
    }

    Work immediate(End end, boolean fence) {
        long data = random.nextLong();
        return new Work(
                new WorkRequest.ImmediateData(end.nextId(), data, random.nextBoolean(), fence),
                ByteBuffer.allocate(8).putLong(data).array(),
                List.of(),
                null,
                null);
    }

    void write(End end) {
        ModelRegion target = usable(end.peer, AccessRight.REMOTE_WRITE);
        if (target != null) {
            int bytes = random.nextInt(target.lengthBytes() + 1);
            end.post(write(end, bytes, target.at(random.nextInt(target.lengthBytes() - bytes + 1)), target));
        }
    }

    Work write(End end, int bytes, RemoteMemory sink, ModelRegion target) {
        byte[] content = content(bytes);
        List<ByteBuffer> pieces = pieces(content);
        return new Work(new WorkRequest.RdmaWrite(end.nextId(), pieces, sink, fence()), content, pieces, target, null);
    }

    private void read(End end) {
        ModelRegion source = usable(end.peer, AccessRight.REMOTE_READ);
        if (source != null) {
            ModelRegion sink = sink(end);
            int bytes = sink == null ? 0 : random.nextInt(Math.min(source.lengthBytes(), sink.lengthBytes()) + 1);
            if (sink != null && mayAsk(end)) {
                end.post(read(end, sink, bytes, source.at(random.nextInt(source.lengthBytes() - bytes + 1)), source));
            }
        }
    }

    ModelRegion sink(End end) {
        ModelRegion sink = random.nextInt(3) > 0 ? usable(end, AccessRight.LOCAL_WRITE) : null;
        return sink != null ? sink : register(end, EnumSet.of(AccessRight.LOCAL_WRITE));
    }

    Work read(End end, ModelRegion sink, int bytes, RemoteMemory source, ModelRegion target) {
        int offset = random.nextInt(sink.lengthBytes() - bytes + 1);
        return new Work(
                new WorkRequest.RdmaRead(end.nextId(), sink.region, offset, bytes, source, fence()),
                new byte[0],
                List.of(),
                target,
                sink);
    }

    private void atomic(End end) {
        ModelRegion target = usable(end.peer, AccessRight.REMOTE_ATOMIC);
        if (target != null && mayAsk(end) && bothKnow(end, RdmaExtension.ATOMIC_OPERATIONS)) {
            int word = random.nextInt(target.lengthBytes() / Long.BYTES);
            long now = target.span.expectedWord(Long.BYTES * word);
            end.post(atomic(end, now, target.at((long) Long.BYTES * word), target));
        }
    }

    /** @param guess a possible value of the word at that time */
    Work atomic(End end, long guess, RemoteMemory target, ModelRegion region) {
        long sparse = random.nextLong();
        sparse &= random.nextLong();
        MaskedWord operand = new MaskedWord(random.nextLong(), sparse);
        MaskedWord expected = new MaskedWord(guess, random.nextBoolean() ? -1L : random.nextLong());
        WorkRequest operation = random.nextBoolean()
                ? new WorkRequest.FetchAdd(end.nextId(), target, operand, fence())
                : new WorkRequest.CompareSwap(end.nextId(), target, expected, operand, fence());
        return new Work(operation, new byte[0], List.of(), region, null);
    }

    private void release(End end) {
        ModelRegion region = pick(end, ours -> idle(ours) && ours.reads == 0);
        if (region != null) {
            end.release(region);
        }
    }

    /** Invalidates a region of ours, with a fence if Reads of ours still fill it. */
    private void invalidateOwn(End end) {
        ModelRegion region = pick(end, Program::idle);
        if (region != null) {
            invalidate(end, region, region.reads > 0 || fence());
        }
    }

    void invalidate(End end, ModelRegion region, boolean fence) {
        region.withdrawn = true;
        region.invalidating = true;
        WorkRequest invalidate = new WorkRequest.LocalInvalidate(end.nextId(), region.region, fence);
        end.post(new Work(invalidate, new byte[0], List.of(), null, region));
    }

    /** Invalidates a region of the peer, with a fence if requests of ours still use it. */
    private void invalidatePeers(End end) {
        int capacity = end.peer.receives.capacityFor(end.work.messages);
        ModelRegion region = pick(end.peer, theirs -> !theirs.invalidating && !theirs.ofDomain && theirs.reads == 0);
        if (capacity >= 0 && region != null) {
            region.withdrawn = true;
            region.invalidating = true;
            boolean fence = end.work.requestsOf(region) || fence();
            end.post(message(end, random.nextInt(capacity + 1), OptionalLong.of(region.stag()), null, fence));
        }
    }

    // What may be used.

    boolean mayAsk(End end) {
        return scenario.agreedOrd(end.initiator) > 0;
    }

    private static boolean bothKnow(End end, RdmaExtension extension) {
        return end.choices.extensions().contains(extension)
                && end.peer.choices.extensions().contains(extension);
    }

    private static boolean idle(ModelRegion region) {
        return region.peerUses == 0 && !region.invalidating;
    }

    private ModelRegion usable(End owner, AccessRight right) {
        return pick(owner, region -> region.allows(right));
    }

    /** A region that was not withdrawn; null if there is none. */
    ModelRegion pick(End owner, Predicate<ModelRegion> wanted) {
        List<ModelRegion> found = new ArrayList<>();
        for (ModelRegion region : owner.regions) {
            if (!region.withdrawn && wanted.test(region) && owner.find(region.stag()) != null) {
                found.add(region);
            }
        }
        return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
    }

    private boolean fence() {
        return random.nextInt(4) == 0;
    }

    private byte[] content(int bytes) {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        return content;
    }

    private List<ByteBuffer> pieces(byte[] content) {
        List<ByteBuffer> pieces = new ArrayList<>();
        for (int from = 0; from < content.length; ) {
            int bytes = 1 + random.nextInt(content.length - from);
            int margin = random.nextInt(4);
            ByteBuffer piece = ByteBuffer.allocate(bytes + 2 * margin).position(margin);
            pieces.add(piece.put(content, from, bytes).position(margin).limit(margin + bytes));
            from += bytes;
        }
        return pieces;
    }
}
