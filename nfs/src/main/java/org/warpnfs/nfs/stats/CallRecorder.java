package org.warpnfs.nfs.stats;

import org.jspecify.annotations.Nullable;

/**
 * Receives the ends of calls and of the operations of COMPOUNDs. Programs get all their meters when they are
 * constructed. Safe for any thread.
 */
public interface CallRecorder {
    /** Records nothing, and reads no clock. */
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

    /** The meter of a procedure or operation; the same one for equal {@code what}. */
    OperationMeter meter(Metered what);

    /**
     * The clock of the meters: nanoseconds, monotonic. Each reading costs tens of nanoseconds. So the end of one
     * measurement and the begin of the next share one reading.
     */
    long nanoTime();

    /** The trail for a call that begins now; null if nobody will read it. */
    default @Nullable CallTrail trail(CallOrigin origin) {
        return null;
    }
}
