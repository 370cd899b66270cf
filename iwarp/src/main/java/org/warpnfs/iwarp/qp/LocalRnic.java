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
 * The resources that the queue pairs of one transport share: STags, and budgets for scarce resources. It is the
 * Privileged Resource Manager of RFC 5042, section 2.1.
 *
 * <h2>Operation</h2>
 *
 * Every queue pair takes resources from here and gives them back when it ends.
 *
 * <h2>Buffers</h2>
 *
 * None. Registered memory and posted receives are only counted.
 *
 * <h2>Errors</h2>
 *
 * A request beyond a limit is refused with a {@link org.warpnfs.iwarp.verbs.LimitReachedException} and counted. Safe
 * for any thread.
 */
public final class LocalRnic {
    /** The amount taken from a budget at a time. It is large enough that a busy queue pair seldom needs more. */
    private static final long STEP_BYTES = 256 << 10;

    private static final int STEP_RECEIVES = 64;

    /** The most regions of one protection domain at one time. */
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

    /** @param random a {@link java.security.SecureRandom} wherever peers are real; several threads use it */
    public LocalRnic(RandomGenerator random, RnicLimits limits) {
        this.random = random;
        this.limits = limits;
        this.registeredBytes = new Budget("registered bytes", limits.maxRegisteredBytes());
        this.receives = new Budget("posted receives", limits.maxReceives());
        this.receiveBytes = new Budget("bytes of posted receives", limits.maxReceiveBytes());
        this.inboundReads = new Budget("inbound RDMA Reads", limits.maxInboundReads());
    }

    /** Creates a protection domain. */
    public ProtectionDomain createProtectionDomain() {
        return new Domain(
                registry,
                new StagSource(random),
                MAX_DOMAIN_REGIONS,
                new Quota(registeredBytes, limits.maxRegisteredBytes(), 0));
    }

    /**
     * Checks that all shared objects in the options may be used here.
     *
     * @throws IllegalArgumentException if the options name an object that another transport made
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
     * Creates a shared receive queue.
     *
     * @param depth the most receives that wait in the queue
     * @param maxPerQueuePair the most receives that one queue pair may have taken without giving them back
     */
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int maxPerQueuePair) {
        return new SharedReceives(this, depth, maxPerQueuePair);
    }

    /**
     * Creates a completion queue.
     *
     * @param capacity the most completions that wait and outstanding requests that will complete, together
     * @param notification what {@link CompletionQueue#arm} asks for
     */
    public CompletionQueue createCompletionQueue(int capacity, Runnable notification) {
        return new LocalCompletionQueue(this, capacity, notification);
    }

    /** How often a message found no receive in a shared queue, or its queue pair had taken its share. */
    public long sharedReceiveRefusals() {
        return sharedReceiveRefusals.sum();
    }

    /** How often a completion queue had no room for another completion. */
    public long completionRefusals() {
        return completionRefusals.sum();
    }

    void sharedReceiveRefused() {
        sharedReceiveRefusals.increment();
    }

    void completionRefused() {
        completionRefusals.increment();
    }

    /** The budget of registered bytes, including what queue pairs hold in reserve. */
    public Budget registeredBytes() {
        return registeredBytes;
    }

    /** The budget of posted receives, including what queue pairs hold in reserve. */
    public Budget receives() {
        return receives;
    }

    /** The budget of bytes of posted receives, including what queue pairs hold in reserve. */
    public Budget receiveBytes() {
        return receiveBytes;
    }

    /** The budget of inbound Reads: the sum of the IRDs agreed on. */
    public Budget inboundReads() {
        return inboundReads;
    }

    /** How often a request was refused or reduced because of a limit. */
    public long refusals() {
        return registeredBytes.refusals() + receives.refusals() + receiveBytes.refusals() + inboundReads.refusals();
    }

    /** What the streams carried, and how they failed. */
    public StreamCounts streams() {
        return streams;
    }

    ScratchPool scratch() {
        return scratch;
    }

    /** The registry of all STags of this transport. */
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
