package org.warpnfs.nfs.stats;

/** Measures one procedure or operation. Safe for any thread; never blocks and throws nothing. */
public interface OperationMeter {
    /** What it measures. */
    Metered what();

    /**
     * One has ended.
     *
     * @param transport {@link CallOrigin#transport} of its call
     * @param nanos how long it took
     * @param nowNanos {@link CallRecorder#nanoTime} of its end
     * @param status as the RFC names it, without its prefix; {@code OK} if all went well
     */
    void ended(String transport, long nanos, long nowNanos, String status);

    /** Measures nothing. */
    record Off(Metered what) implements OperationMeter {
        @Override
        public void ended(String transport, long nanos, long nowNanos, String status) {}
    }
}
