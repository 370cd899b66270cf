package org.warpnfs.nfs.stats;

/** Measures one procedure or operation. Safe for any thread; never blocks and throws nothing. */
@FunctionalInterface
public interface OperationMeter {
    /** Measures nothing. */
    OperationMeter OFF = () -> status -> {};

    /** One begins now. */
    Running begin();

    /** One that has begun. It may end on another thread; one that never ends is not counted. */
    @FunctionalInterface
    interface Running {
        /**
         * It has ended, and its reply is made.
         *
         * @param status as the RFC names it, without its prefix; {@code OK} if all went well
         */
        void ended(String status);
    }
}
