package org.warpnfs.nfs.stats;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Operations and times of one call, for logs and traces. It keeps {@value #MAX_OPERATIONS} operations and counts the
 * others.
 *
 * <p>For one thread at a time. It does not change after the call has ended.
 */
public final class CallTrail {
    /** Most operations that are kept. A COMPOUND may have more, but a log line or a trace need not show all of them. */
    public static final int MAX_OPERATIONS = 64;

    private static final int USUAL_OPERATIONS = 4;

    private final Consumer<CallTrail> reader;
    private CallOrigin origin;
    private @Nullable Metered call;
    private String status = "";
    private long beganNanos;
    private long endedNanos;
    private long insideNanos;
    private long backendNanos;
    /** Time that backends had taken on this thread when the last operation ended. */
    private long spentNanos;

    private int count;
    private String[] names = new String[USUAL_OPERATIONS];
    private String[] statuses = new String[USUAL_OPERATIONS];
    /** Begin and end of each operation, alternately. */
    private long[] nanos = new long[2 * USUAL_OPERATIONS];

    private long[] backends = new long[USUAL_OPERATIONS];

    /** @param reader is called once, on the thread that ended the call; must not block or throw */
    public CallTrail(CallOrigin origin, Consumer<CallTrail> reader) {
        this.origin = origin;
        this.spentNanos = origin.spentNanos();
        this.reader = reader;
    }

    /** Notes that the call was on no thread for so long, between its first thread and its last. */
    void waited(long nanos) {
        insideNanos += nanos;
        // This may be another thread, on which backends have done nothing for this call yet.
        spentNanos = origin.spentNanos();
    }

    void operation(String name, long began, long ended, String result) {
        long backend = spent();
        int index = count++;
        if (index >= MAX_OPERATIONS) {
            return;
        }
        if (index == names.length) {
            names = Arrays.copyOf(names, 2 * index);
            statuses = Arrays.copyOf(statuses, 2 * index);
            nanos = Arrays.copyOf(nanos, 4 * index);
            backends = Arrays.copyOf(backends, 2 * index);
        }
        names[index] = name;
        statuses[index] = result;
        nanos[2 * index] = began;
        nanos[2 * index + 1] = ended;
        backends[index] = backend;
    }

    /** Time that backends took since the last operation, or since the call began. */
    private long spent() {
        long now = origin.spentNanos();
        long took = now - spentNanos;
        spentNanos = now;
        backendNanos += took;
        return took;
    }

    void ended(Metered what, long began, long ended, String result) {
        spent();
        call = what;
        beganNanos = began;
        endedNanos = ended;
        status = result;
        reader.accept(this);
    }

    /** The procedure, which is COMPOUND in NFSv4. */
    public Metered call() {
        Metered known = call;
        if (known == null) {
            throw new IllegalStateException("the call has not ended");
        }
        return known;
    }

    /** Status of the whole call, as the RFC names it. */
    public String status() {
        return status;
    }

    /** Drops references to the call, whose reply may be long gone. For readers that keep this trail. */
    public void keep() {
        origin = new Known(origin.xid(), origin.transport(), origin.waitedNanos(), origin.peer());
    }

    private record Known(int xid, String transport, long waitedNanos, String peer) implements CallOrigin {}

    /** The origin of the call. */
    public CallOrigin origin() {
        return origin;
    }

    /** Time on the recorder's clock. */
    public long beganNanos() {
        return beganNanos;
    }

    public long endedNanos() {
        return endedNanos;
    }

    public long durationNanos() {
        return endedNanos - beganNanos;
    }

    /** Number of operations that were executed, including those that are not kept. */
    public int operations() {
        return count;
    }

    /** Number of operations that are kept. */
    public int kept() {
        return Math.min(count, MAX_OPERATIONS);
    }

    /** Name of an operation. {@code index} is below {@link #kept}. */
    public String operation(int index) {
        return names[index];
    }

    /** Status of an operation, as the RFC names it. */
    public String operationStatus(int index) {
        return statuses[index];
    }

    public long operationBeganNanos(int index) {
        return nanos[2 * index];
    }

    public long operationEndedNanos(int index) {
        return nanos[2 * index + 1];
    }

    /** Time of an operation that a backend took; 0 if it was short. Not exact. */
    public long operationBackendNanos(int index) {
        return backends[index];
    }

    /** Time of the whole call that backends took. */
    public long backendNanos() {
        return backendNanos;
    }

    /** Time from when the call had arrived in whole until its reply was made. */
    public long totalNanos() {
        return origin.waitedNanos() + durationNanos();
    }

    /** The part of {@link #durationNanos} during which the call was on no thread and waited for one, or for memory. */
    public long insideNanos() {
        return insideNanos;
    }
}
