package org.warpnfs.iwarp.sim;

import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.RemoteMemory;

/** Misuse by an upper layer. Whether a Terminate follows, and which, depends on what the other end finds. */
enum Misdeed {
    /** A Send without a receive for it, unless a receive is posted in time. */
    SEND_TOO_MANY,
    SEND_TOO_LONG,
    INVALIDATE_UNKNOWN,
    /** An STag that belongs to the poster itself, or to a domain. */
    INVALIDATE_OTHERS,
    /** An operation that the peer does not support. */
    UNKNOWN_OPERATION,
    /** Releases memory that the peer may still use. */
    RELEASE_EARLY,
    /** Releases memory that the peer has requested and not received yet. */
    RELEASE_ASKED,
    /** Invalidates such memory by a work request. Other work behind it is ready to be sent before the loss is found. */
    INVALIDATE_ASKED,
    /** Releases the sink of a Read that is not complete. */
    RELEASE_SINK,
    ACCESS_UNKNOWN,
    ACCESS_RELEASED,
    ACCESS_OTHERS,
    ACCESS_OUTSIDE,
    ACCESS_WRAPPING,
    ACCESS_WITHOUT_RIGHT,
    ACCESS_MISALIGNED;

    private static final Set<AccessRight> REMOTE =
            EnumSet.of(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC);

    /** Commits the misdeed. Returns false if that is not possible now. */
    boolean commit(End end) {
        Program program = end.program;
        SplittableRandom random = program.random;
        int capacity = end.peer.receives.capacityFor(end.work.messages);
        switch (this) {
            case SEND_TOO_MANY -> {
                return capacity < 0 && send(end, random.nextInt(100), OptionalLong.empty());
            }
            case SEND_TOO_LONG -> {
                return capacity >= 0 && send(end, capacity + 1 + random.nextInt(300), OptionalLong.empty());
            }
            case INVALIDATE_UNKNOWN -> {
                return capacity >= 0 && send(end, random.nextInt(capacity + 1), OptionalLong.of(unknown(random)));
            }
            case INVALIDATE_OTHERS -> {
                End owner = random.nextBoolean() ? end : end.peer;
                ModelRegion others = program.pick(owner, region -> region.ofDomain || owner == end);
                return capacity >= 0
                        && others != null
                        && send(end, random.nextInt(capacity + 1), OptionalLong.of(others.stag()));
            }
            case UNKNOWN_OPERATION -> {
                return useUnknown(end);
            }
            case RELEASE_EARLY -> {
                return release(end, program.pick(end, region -> region.peerUses > 0));
            }
            case RELEASE_ASKED -> {
                return release(end, program.pick(end, region -> end.requests.stream()
                        .anyMatch(request -> request.region == region)));
            }
            case INVALIDATE_ASKED -> {
                return invalidate(end, program.pick(end, region -> end.requests.stream()
                        .anyMatch(request -> request.region == region && end.outbound.busySince(request.since))));
            }
            case RELEASE_SINK -> {
                return release(end, program.pick(end, region -> region.reads > 0));
            }
            default -> {
                return access(
                        end, REMOTE.stream().skip(random.nextInt(3)).findFirst().orElseThrow());
            }
        }
    }

    private static boolean send(End end, int bytes, OptionalLong invalidate) {
        end.post(end.program.message(end, bytes, invalidate, null, false));
        return true;
    }

    private static boolean invalidate(End end, ModelRegion region) {
        if (region != null) {
            end.program.invalidate(end, region, false);
            end.program.write(end);
        }
        return region != null;
    }

    private static boolean release(End end, ModelRegion region) {
        if (region != null) {
            end.release(region);
        }
        return region != null;
    }

    private static boolean useUnknown(End end) {
        Set<RdmaExtension> only = EnumSet.noneOf(RdmaExtension.class);
        only.addAll(end.choices.extensions());
        only.removeAll(end.peer.choices.extensions());
        if (only.contains(RdmaExtension.IMMEDIATE_DATA)) {
            end.post(end.program.immediate(end, false));
            return true;
        }
        if (only.contains(RdmaExtension.ATOMIC_OPERATIONS) && end.program.mayAsk(end)) {
            end.post(end.program.atomic(end, 0, new RemoteMemory(unknown(end.program.random), 0), null));
            return true;
        }
        return false;
    }

    private boolean access(End end, AccessRight kind) {
        SplittableRandom random = end.program.random;
        boolean atomic = kind == AccessRight.REMOTE_ATOMIC;
        boolean possible = kind == AccessRight.REMOTE_WRITE || end.program.mayAsk(end);
        if (!possible || (atomic && !end.choices.extensions().contains(RdmaExtension.ATOMIC_OPERATIONS))) {
            return false;
        }
        int bytes = atomic ? Long.BYTES : 1 + random.nextInt(300);
        RemoteMemory memory = forbidden(end, kind, bytes);
        if (memory == null) {
            return false;
        }
        Work work;
        if (atomic) {
            work = end.program.atomic(end, 0, memory, null);
        } else if (kind == AccessRight.REMOTE_WRITE) {
            work = end.program.write(end, bytes, memory, null);
        } else {
            ModelRegion sink = end.program.sink(end);
            if (sink == null || sink.lengthBytes() == 0) {
                return false;
            }
            work = end.program.read(end, sink, Math.min(bytes, sink.lengthBytes()), memory, null);
        }
        end.post(work);
        return true;
    }

    /** A location where this kind of access is forbidden; null if there is none now. */
    private RemoteMemory forbidden(End end, AccessRight kind, int bytes) {
        Program program = end.program;
        return switch (this) {
            case ACCESS_UNKNOWN -> new RemoteMemory(unknown(program.random), program.random.nextInt(100));
            case ACCESS_RELEASED ->
                end.peer.regions.stream()
                        .filter(region -> region.released)
                        .findFirst()
                        .map(region -> region.at(0))
                        .orElse(null);
            case ACCESS_OTHERS -> at(program.pick(end, region -> region.allows(kind)), 0);
            case ACCESS_OUTSIDE -> {
                ModelRegion region = program.pick(end.peer, theirs -> theirs.allows(kind));
                yield region == null ? null : region.at(outside(region.lengthBytes(), kind, bytes, program.random));
            }
            case ACCESS_WRAPPING ->
                at(program.pick(end.peer, region -> region.allows(kind)), -1 - program.random.nextInt(bytes));
            case ACCESS_WITHOUT_RIGHT -> at(program.pick(end.peer, region -> !region.allows(kind)), 0);
            case ACCESS_MISALIGNED ->
                at(
                        program.pick(
                                end.peer,
                                region -> kind == AccessRight.REMOTE_ATOMIC
                                        && region.allows(kind)
                                        && region.lengthBytes() > 8),
                        1);
            default -> throw new IllegalStateException(this + " is no access");
        };
    }

    /** An offset from which the range is not entirely within the region, but may be partly. */
    private static long outside(int regionBytes, AccessRight kind, int bytes, SplittableRandom random) {
        if (kind == AccessRight.REMOTE_ATOMIC) {
            return (regionBytes & -Long.BYTES) + (long) Long.BYTES * random.nextInt(3);
        }
        return (long) Math.max(0, regionBytes - bytes + 1) + random.nextInt(bytes);
    }

    private static RemoteMemory at(ModelRegion region, long offset) {
        return region == null ? null : region.at(offset);
    }

    private static long unknown(SplittableRandom random) {
        return random.nextLong() >>> 32;
    }
}
