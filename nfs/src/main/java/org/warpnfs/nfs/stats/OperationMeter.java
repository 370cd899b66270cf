package org.warpnfs.nfs.stats;

/** Measures one procedure or operation. Safe for any thread; never blocks and never throws. */
public interface OperationMeter {
    /** The procedure or operation that it measures. */
    Metered what();

    /**
     * Counts one that has ended.
     *
     * @param transport {@link CallOrigin#transport} of its call
     * @param nanos how long it took
     * @param nowNanos {@link CallRecorder#nanoTime} of its end
     * @param status as the RFC names it, without its prefix; {@code OK} for success
     */
    void ended(String transport, long nanos, long nowNanos, String status);

    /** Measures nothing. */
    record Off(Metered what) implements OperationMeter {
        @Override
        public void ended(String transport, long nanos, long nowNanos, String status) {}
    }
}
