package org.warpnfs.rpcrdma.gss;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the layer has done since its start. Safe for any thread. */
public final class GssCounts {
    /** What is counted. */
    public enum Event {
        /** Contexts that were established. */
        CONTEXT_ESTABLISHED,
        /** Contexts that were removed to make room for others. */
        CONTEXT_EVICTED,
        /** Tokens from which no context came. */
        TOKEN_REFUSED,
        /** Calls denied because of their credential or verifier; a client with an old context then makes a new one. */
        CALL_DENIED,
        /** Calls dropped because their number was seen before, or is below the window. */
        CALL_REPEATED,
        /** Calls whose body could not be verified or decrypted. */
        BODY_REFUSED
    }

    private final Map<Event, LongAdder> counts;

    GssCounts() {
        counts = Arrays.stream(Event.values())
                .collect(Collectors.toUnmodifiableMap(Function.identity(), _ -> new LongAdder()));
    }

    void add(Event event) {
        adder(event).increment();
    }

    public long of(Event event) {
        return adder(event).sum();
    }

    private LongAdder adder(Event event) {
        return Objects.requireNonNull(counts.get(event));
    }
}
