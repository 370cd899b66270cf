package org.warpnfs.nfs.stats;

/** Hears how calls, and the operations of a COMPOUND, end. Programs ask for all their meters when they are made. */
@FunctionalInterface
public interface CallRecorder {
    /** Hears nothing, and reads no clock. */
    CallRecorder NONE = what -> OperationMeter.OFF;

    /** The meter of one procedure or operation; the same one for equal {@code what}. */
    OperationMeter meter(Metered what);
}
