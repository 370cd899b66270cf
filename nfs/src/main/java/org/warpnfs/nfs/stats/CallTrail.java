package org.warpnfs.nfs.stats;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one call did, and when: for logs and traces. It keeps {@value #MAX_OPERATIONS} operations and counts the others.
 *
 * <p>One thread at a time has it. When the call has ended it does not change any more.
 */
public final class CallTrail {
    /** A COMPOUND may be longer; what a log line or a trace says of it need not be. */
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
    /** What backends had taken of this thread's time when the last operation ended. */
    private long spentNanos;

    private int count;
    private String[] names = new String[USUAL_OPERATIONS];
    private String[] statuses = new String[USUAL_OPERATIONS];
    /** Begin and end of each operation, in turn. */
    private long[] nanos = new long[2 * USUAL_OPERATIONS];

    private long[] backends = new long[USUAL_OPERATIONS];

    /** @param reader is called once, on the thread that ended the call; it must not block or throw */
    public CallTrail(CallOrigin origin, Consumer<CallTrail> reader) {
        this.origin = origin;
        this.spentNanos = origin.spentNanos();
        this.reader = reader;
    }

    /** It was on no thread for so long, between its first and its last. */
    void waited(long nanos) {
        insideNanos += nanos;
        // Of another thread, which has done nothing for it yet.
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

    /** What backends took since the last operation, or since the call began. */
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

    /** The procedure; a COMPOUND as a whole. */
    public Metered call() {
        Metered known = call;
        if (known == null) {
            throw new IllegalStateException("the call has not ended");
        }
        return known;
    }

    /** Of the call as a whole, as the RFC names it. */
    public String status() {
        return status;
    }

    /** Lets go of what the call holds, whose reply may be long gone: for readers that keep this. */
    public void keep() {
        origin = new Known(origin.xid(), origin.transport(), origin.waitedNanos(), origin.peer());
    }

    private record Known(int xid, String transport, long waitedNanos, String peer) implements CallOrigin {}

    /** Whose call it was. */
    public CallOrigin origin() {
        return origin;
    }

    /** In the recorder's time. */
    public long beganNanos() {
        return beganNanos;
    }

    public long endedNanos() {
        return endedNanos;
    }

    public long durationNanos() {
        return endedNanos - beganNanos;
    }

    /** How many operations were executed, those that are not kept among them. */
    public int operations() {
        return count;
    }

    /** How many are kept. */
    public int kept() {
        return Math.min(count, MAX_OPERATIONS);
    }

    /** Name of an operation, {@code index} below {@link #kept}. */
    public String operation(int index) {
        return names[index];
    }

    /** How it ended, as the RFC names it. */
    public String operationStatus(int index) {
        return statuses[index];
    }

    public long operationBeganNanos(int index) {
        return nanos[2 * index];
    }

    public long operationEndedNanos(int index) {
        return nanos[2 * index + 1];
    }

    /** What of an operation's time a backend took; nothing if that was short. Not exact. */
    public long operationBackendNanos(int index) {
        return backends[index];
    }

    /** The same of the call as a whole. */
    public long backendNanos() {
        return backendNanos;
    }

    /** From when the call was whole until its reply was made. */
    public long totalNanos() {
        return origin.waitedNanos() + durationNanos();
    }

    /** What of {@link #durationNanos} it waited on no thread: for another one, or for memory. */
    public long insideNanos() {
        return insideNanos;
    }
}
