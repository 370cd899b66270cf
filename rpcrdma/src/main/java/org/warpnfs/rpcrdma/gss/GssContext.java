package org.warpnfs.rpcrdma.gss;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/**
 * One context of the server: its keys, its owner and the numbers it has seen. Safe for any thread, except that one
 * thread at a time creates it.
 */
final class GssContext {
    private final ContextHandle handle;
    private final SecurityContext security;
    private final ClientAddress client;
    private final SequenceWindow window = new SequenceWindow();
    private final AtomicInteger reverseNumbers = new AtomicInteger();
    private volatile @Nullable String owner;
    private volatile long expiresNanos;
    private volatile long usedNanos;

    /**
     * @param client the peer of the connection on which it was begun, in whose share it counts
     * @param expiresNanos until when it has to be established
     */
    GssContext(ContextHandle handle, SecurityContext security, ClientAddress client, long nowNanos, long expiresNanos) {
        this.handle = handle;
        this.security = security;
        this.client = client;
        this.usedNanos = nowNanos;
        this.expiresNanos = expiresNanos;
    }

    ContextHandle handle() {
        return handle;
    }

    SecurityContext security() {
        return security;
    }

    ClientAddress client() {
        return client;
    }

    SequenceWindow window() {
        return window;
    }

    /** The name of its initiator; null until it is established. */
    @Nullable
    String owner() {
        return owner;
    }

    void established(String initiator, long untilNanos) {
        expiresNanos = untilNanos;
        owner = initiator;
    }

    boolean isExpired(long nowNanos) {
        return nowNanos - expiresNanos >= 0;
    }

    /** The number of the next call to the client; the first is 1. */
    int nextReverseNumber() {
        return reverseNumbers.incrementAndGet();
    }

    long remainingNanos(long nowNanos) {
        return expiresNanos - nowNanos;
    }

    void used(long nowNanos) {
        usedNanos = nowNanos;
    }

    long usedNanos() {
        return usedNanos;
    }
}
