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
 * Measures as another recorder does, and has each call write down what it did, for those who read it when it has ended.
 * Safe for any thread.
 */
public final class WatchedCalls implements CallRecorder {
    private final CallRecorder meters;
    private final Consumer<CallTrail> reader;

    private WatchedCalls(CallRecorder meters, Consumer<CallTrail> reader) {
        this.meters = meters;
        this.reader = reader;
    }

    /**
     * As {@code meters}, with readers of calls. Without readers it is {@code meters}.
     *
     * @param readers never block and throw nothing
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
