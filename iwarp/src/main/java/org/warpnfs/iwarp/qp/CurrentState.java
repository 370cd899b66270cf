package org.warpnfs.iwarp.qp;

import org.jspecify.annotations.Nullable;

/** The state of a stream, and the phase that the stream is counted in. */
final class CurrentState {
    private final StreamCounts counts;
    private StreamState state = StreamState.STARTUP;
    /** The phase that the stream is counted in; null before it begins and after it is gone. */
    private @Nullable StreamPhase phase;

    CurrentState(StreamCounts counts) {
        this.counts = counts;
    }

    StreamState get() {
        return state;
    }

    boolean is(StreamState which) {
        return state == which;
    }

    /** Counts a new stream. Does nothing if it is counted already. */
    void begin() {
        if (phase == null && state == StreamState.STARTUP) {
            become(StreamState.STARTUP);
        }
    }

    void become(StreamState next) {
        become(next, StreamPhase.of(next));
    }

    /** @param shown the phase that the stream is counted in; null if it is no longer counted */
    void become(StreamState next, @Nullable StreamPhase shown) {
        state = next;
        counts.moved(phase, shown);
        phase = shown;
    }
}
