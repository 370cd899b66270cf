package org.warpnfs.iwarp.qp;

import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.warpnfs.iwarp.memory.Budget;
import org.warpnfs.iwarp.memory.Domain;
import org.warpnfs.iwarp.memory.Quota;
import org.warpnfs.iwarp.memory.StagRegistry;
import org.warpnfs.iwarp.memory.StagSource;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ProtectionDomain;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;

/**
 * What the queue pairs of one transport share: STags, and budgets for all that is scarce. The Privileged Resource
 * Manager of RFC 5042, section 2.1.
 *
 * <h2>Operation</h2>
 *
 * Every queue pair takes what it needs from here, and gives it back when it ends.
 *
 * <h2>Buffers</h2>
 *
 * None; what is registered and posted is counted.
 *
 * <h2>Errors</h2>
 *
 * What goes beyond a limit is refused with a {@link org.warpnfs.iwarp.verbs.LimitReachedException} and counted. Safe
 * for any thread.
 */
public final class LocalRnic {
    /** Taken from the budgets at a time: enough that a queue pair at work seldom comes back for more. */
    private static final long STEP_BYTES = 256 << 10;

    private static final int STEP_RECEIVES = 64;

    /** Regions of one protection domain at one time. */
    private static final int MAX_DOMAIN_REGIONS = 1 << 16;

    private final RandomGenerator random;
    private final StagRegistry registry = new StagRegistry();
    private final ScratchPool scratch = new ScratchPool();
    private final RnicLimits limits;
    private final Budget registeredBytes;
    private final Budget receives;
    private final Budget receiveBytes;
    private final Budget inboundReads;
    private final StreamCounts streams = new StreamCounts();
    private final LongAdder sharedReceiveRefusals = new LongAdder();
    private final LongAdder completionRefusals = new LongAdder();

    /** @param random a {@link java.security.SecureRandom} wherever peers are real; used by several threads */
    public LocalRnic(RandomGenerator random, RnicLimits limits) {
        this.random = random;
        this.limits = limits;
        this.registeredBytes = new Budget("registered bytes", limits.maxRegisteredBytes());
        this.receives = new Budget("posted receives", limits.maxReceives());
        this.receiveBytes = new Budget("bytes of posted receives", limits.maxReceiveBytes());
        this.inboundReads = new Budget("inbound RDMA Reads", limits.maxInboundReads());
    }

    /** A new protection domain. */
    public ProtectionDomain createProtectionDomain() {
        return new Domain(
                registry,
                new StagSource(random),
                MAX_DOMAIN_REGIONS,
                new Quota(registeredBytes, limits.maxRegisteredBytes(), 0));
    }

    /**
     * Refuses options that name what cannot be shared.
     *
     * @throws IllegalArgumentException if options name an object that was not made here
     * @throws IllegalStateException if the completion queue is closed
     */
    public void check(ConnectOptions options) {
        ProtectionDomain domain = options.shared().domain();
        if (domain != null && !(domain instanceof Domain known && known.isOf(registry))) {
            throw new IllegalArgumentException("the protection domain was made by another transport");
        }
        CompletionQueue completions = options.shared().completions();
        if (completions != null) {
            if (!(completions instanceof LocalCompletionQueue known && known.isOf(this))) {
                throw new IllegalArgumentException("the completion queue was made by another transport");
            }
            known.checkOpen();
        }
        SharedReceiveQueue shared = options.shared().receives();
        if (shared != null && !(shared instanceof SharedReceives known && known.isOf(this))) {
            throw new IllegalArgumentException("the shared receive queue was made by another transport");
        }
    }

    /**
     * A new shared receive queue.
     *
     * @param depth receives that may wait in it
     * @param maxPerQueuePair receives that one queue pair may have taken and not given back
     */
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int maxPerQueuePair) {
        return new SharedReceives(this, depth, maxPerQueuePair);
    }

    /**
     * A new completion queue.
     *
     * @param capacity completions that wait, and work that may become one, at one time
     * @param notification what {@link CompletionQueue#arm} asks for
     */
    public CompletionQueue createCompletionQueue(int capacity, Runnable notification) {
        return new LocalCompletionQueue(this, capacity, notification);
    }

    /** How often a message found no receive in a shared queue, or its queue pair had taken its share. */
    public long sharedReceiveRefusals() {
        return sharedReceiveRefusals.sum();
    }

    /** How often there was no room for another completion. */
    public long completionRefusals() {
        return completionRefusals.sum();
    }

    void sharedReceiveRefused() {
        sharedReceiveRefusals.increment();
    }

    void completionRefused() {
        completionRefusals.increment();
    }

    /** Bytes registered, in all; what queue pairs hold in advance included. */
    public Budget registeredBytes() {
        return registeredBytes;
    }

    /** Receives posted, in all; what queue pairs hold in advance included. */
    public Budget receives() {
        return receives;
    }

    /** Bytes of receives posted, in all; what queue pairs hold in advance included. */
    public Budget receiveBytes() {
        return receiveBytes;
    }

    /** The sum of the IRDs agreed on. */
    public Budget inboundReads() {
        return inboundReads;
    }

    /** How often something was refused because of a limit. */
    public long refusals() {
        return registeredBytes.refusals() + receives.refusals() + receiveBytes.refusals() + inboundReads.refusals();
    }

    /** What its streams carried, and how they broke. */
    public StreamCounts streams() {
        return streams;
    }

    ScratchPool scratch() {
        return scratch;
    }

    /** Every STag of this transport. */
    public StagRegistry registry() {
        return registry;
    }

    StagSource stags() {
        return new StagSource(random);
    }

    Quota registeredBytes(long limit) {
        return new Quota(registeredBytes, limit, Math.min(STEP_BYTES, limit));
    }

    Quota receives(long limit) {
        return new Quota(receives, limit, Math.min(STEP_RECEIVES, limit));
    }

    Quota receiveBytes(long limit) {
        return new Quota(receiveBytes, limit, Math.min(STEP_BYTES, limit));
    }
}
