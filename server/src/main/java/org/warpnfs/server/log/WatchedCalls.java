package org.warpnfs.server.log;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.stats.CallOrigin;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTrail;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/**
 * Wraps another recorder, and lets each call record its trail for readers that get it when the call has ended. Safe for
 * any thread.
 */
public final class WatchedCalls implements CallRecorder {
    private final CallRecorder meters;
    private final Consumer<CallTrail> reader;

    private WatchedCalls(CallRecorder meters, Consumer<CallTrail> reader) {
        this.meters = meters;
        this.reader = reader;
    }

    /**
     * Returns {@code meters} with readers of trails; without readers {@code meters} itself.
     *
     * @param readers must not block or throw
     */
    public static CallRecorder of(CallRecorder meters, List<Consumer<CallTrail>> readers) {
        return readers.stream()
                .reduce(Consumer::andThen)
                .<CallRecorder>map(reader -> new WatchedCalls(meters, reader))
                .orElse(meters);
    }

    @Override
    public OperationMeter meter(Metered what) {
        return meters.meter(what);
    }

    /** A recorder that hears nothing reads no clock, but whoever reads calls wants their times. */
    @Override
    public long nanoTime() {
        return meters == CallRecorder.NONE ? System.nanoTime() : meters.nanoTime();
    }

    @Override
    public @Nullable CallTrail trail(CallOrigin origin) {
        return new CallTrail(origin, reader);
    }
}
