package org.warpnfs.nfs.stats;

import org.jspecify.annotations.Nullable;

/**
 * Measures the time of one call and of its operations. An operation begins where the one before ended, so the clock is
 * read once for each.
 *
 * <p>For one thread at a time; it moves from thread to thread with its call. A call that never ends is not counted.
 */
public final class CallTimer {
    private final CallRecorder recorder;
    private final OperationMeter call;
    private final String transport;
    private final @Nullable CallTrail trail;
    private final long beganNanos;
    private long lastNanos;

    private CallTimer(CallRecorder recorder, OperationMeter call, CallOrigin origin) {
        this.recorder = recorder;
        this.call = call;
        this.transport = origin.transport();
        this.trail = recorder.trail(origin);
        this.beganNanos = recorder.nanoTime();
        this.lastNanos = beganNanos;
    }

    /** Starts measuring a call. */
    public static CallTimer begin(CallRecorder recorder, OperationMeter call, CallOrigin origin) {
        return new CallTimer(recorder, call, origin);
    }

    /** Excludes the time since the last operation: the call has waited for a thread or for memory. */
    public void resumed() {
        long now = recorder.nanoTime();
        if (trail != null) {
            trail.waited(now - lastNanos);
        }
        lastNanos = now;
    }

    /** Does the same as {@link #resumed} for a call without operations. Its wait is recorded only in a trail. */
    public void given() {
        if (trail != null) {
            resumed();
        }
    }

    /** Notes the end of an operation. It began where the one before ended. */
    public void operationEnded(OperationMeter operation, String status) {
        long now = recorder.nanoTime();
        operation.ended(transport, now - lastNanos, now, status);
        if (trail != null) {
            trail.operation(operation.what().operation(), lastNanos, now, status);
        }
        lastNanos = now;
    }

    /**
     * Notes that the call has ended and its reply is made.
     *
     * @param status as the RFC names it, without its prefix; {@code OK} for success
     */
    public void ended(String status) {
        long now = recorder.nanoTime();
        call.ended(transport, now - beganNanos, now, status);
        if (trail != null) {
            trail.ended(call.what(), beganNanos, now, status);
        }
    }
}
