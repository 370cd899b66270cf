package org.warpnfs.iwarp.qp;

import java.util.random.RandomGenerator;
import org.warpnfs.iwarp.memory.Budget;
import org.warpnfs.iwarp.memory.Domain;
import org.warpnfs.iwarp.memory.Quota;
import org.warpnfs.iwarp.memory.StagRegistry;
import org.warpnfs.iwarp.memory.StagSource;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ProtectionDomain;

/**
 * What the queue pairs of one transport share: STags, and budgets for all that is scarce. The Privileged Resource Manager of
 * RFC 5042 section 2.1.
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
 * What goes beyond a limit is refused with a {@link org.warpnfs.iwarp.verbs.LimitReachedException} and counted. Safe for any
 * thread.
 */
public final class LocalRnic {
    /** Taken from the budgets at a time: enough that a queue pair at work seldom comes back for more. */
    private static final long STEP_BYTES = 256 << 10;

    private static final int STEP_RECEIVES = 64;

    /** Regions of one protection domain at one time. */
    private static final int MAX_DOMAIN_REGIONS = 1 << 16;

    private final RandomGenerator random;
    private final StagRegistry registry = new StagRegistry();
    private final RnicLimits limits;
    private final Budget registeredBytes;
    private final Budget receives;
    private final Budget receiveBytes;
    private final Budget inboundReads;

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
     * Refuses options that name what was not made here.
     *
     * @throws IllegalArgumentException if options name an object that was not made here
     */
    public void check(ConnectOptions options) {
        ProtectionDomain domain = options.shared().domain();
        if (domain != null && !(domain instanceof Domain known && known.isOf(registry))) {
            throw new IllegalArgumentException("the protection domain was made by another transport");
        }
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

    StagRegistry registry() {
        return registry;
    }

    StagSource stags() {
        return new StagSource(random);
    }

    Quota registeredBytes(long limit) {
        return new Quota(registeredBytes, limit, STEP_BYTES);
    }

    Quota receives(long limit) {
        return new Quota(receives, limit, STEP_RECEIVES);
    }

    Quota receiveBytes(long limit) {
        return new Quota(receiveBytes, limit, STEP_BYTES);
    }
}
