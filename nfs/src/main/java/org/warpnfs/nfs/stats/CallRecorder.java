package org.warpnfs.nfs.stats;

import org.jspecify.annotations.Nullable;

/**
 * Hears how calls, and the operations of a COMPOUND, end. Programs ask for all their meters when they are made. Safe
 * for any thread.
 */
public interface CallRecorder {
    /** Hears nothing, and reads no clock. */
    CallRecorder NONE = new CallRecorder() {
        @Override
        public OperationMeter meter(Metered what) {
            return new OperationMeter.Off(what);
        }

        @Override
        public long nanoTime() {
            return 0;
        }
    };

    /** The meter of one procedure or operation; the same one for equal {@code what}. */
    OperationMeter meter(Metered what);

    /**
     * What meters count in: nanoseconds that only go forward. Each reading costs tens of nanoseconds, so there is one
     * where one thing ends and the next begins.
     */
    long nanoTime();

    /** Where a call that begins now writes down its operations; null if nobody will read it. */
    default @Nullable CallTrail trail(CallOrigin origin) {
        return null;
    }
}
