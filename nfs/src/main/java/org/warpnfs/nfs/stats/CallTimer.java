package org.warpnfs.nfs.stats;

import org.jspecify.annotations.Nullable;

/**
 * The time of one call and of its operations. An operation begins where the one before ended, so that the clock is read
 * once for each.
 *
 * <p>One thread at a time has it; it goes from one to the next with its call. A call that never ends is not counted.
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

    /** A call begins now. */
    public static CallTimer begin(CallRecorder recorder, OperationMeter call, CallOrigin origin) {
        return new CallTimer(recorder, call, origin);
    }

    /** What went by since the last operation was no operation: the call waited for a thread, or for memory. */
    public void resumed() {
        long now = recorder.nanoTime();
        if (trail != null) {
            trail.waited(now - lastNanos);
        }
        lastNanos = now;
    }

    /** The same of a call without operations, whose waiting nobody but a reader of trails asks for. */
    public void given() {
        if (trail != null) {
            resumed();
        }
    }

    /** An operation has ended, which began where the one before ended. */
    public void operationEnded(OperationMeter operation, String status) {
        long now = recorder.nanoTime();
        operation.ended(transport, now - lastNanos, now, status);
        if (trail != null) {
            trail.operation(operation.what().operation(), lastNanos, now, status);
        }
        lastNanos = now;
    }

    /**
     * The call has ended, and its reply is made.
     *
     * @param status as the RFC names it, without its prefix; {@code OK} if all went well
     */
    public void ended(String status) {
        long now = recorder.nanoTime();
        call.ended(transport, now - beganNanos, now, status);
        if (trail != null) {
            trail.ended(call.what(), beganNanos, now, status);
        }
    }
}
