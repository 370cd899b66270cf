package org.warpnfs.lanes;

import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/**
 * The call that a thread runs at this moment, for whoever writes a line about it into the log: no program has to say
 * whose call it was that met trouble.
 *
 * <h2>Operation</h2>
 *
 * {@code around = CallOnThread.begin(call); try { ... } finally { CallOnThread.end(around); }}. It is a field of a
 * {@link CallThread}, not a variable of every thread: that costs one test and one store, and a call that logs nothing
 * pays no more. On any other thread there is none.
 *
 * <h2>Errors</h2>
 *
 * None. Each method concerns the thread that it runs on.
 */
public final class CallOnThread {
    private CallOnThread() {}

    /** What a line says of a call. All of it stays true after the call has ended. Safe for any thread. */
    public interface Described {
        /** As the client counts its calls. */
        int xid();

        /** Whose it is, for limits. */
        ClientAddress client();

        /** Address and port. */
        String peer();

        /** As {@link org.warpnfs.limits.NamedTransport} has it. */
        String transportName();

        /** Program, version and procedure by their numbers; null if it is not known yet. */
        @Nullable
        Procedure procedure();
    }

    /** By numbers, unsigned. */
    public record Procedure(long program, long version, long procedure) {}

    /**
     * This thread runs {@code call} from now on.
     *
     * @param call null if nobody knows whose it is
     * @return what it ran until now, for {@link #end}
     */
    public static @Nullable Described begin(@Nullable Described call) {
        if (Thread.currentThread() instanceof CallThread thread) {
            Described around = thread.call;
            thread.call = call;
            return around;
        }
        return null;
    }

    /** This thread runs it no more. */
    public static void end(@Nullable Described around) {
        if (Thread.currentThread() instanceof CallThread thread) {
            thread.call = around;
        }
    }

    /** A backend has taken so much of this thread's time. */
    public static void spent(long nanos) {
        if (Thread.currentThread() instanceof CallThread thread) {
            thread.spentNanos += nanos;
        }
    }

    /**
     * What backends have taken of this thread's time since it began, as far as anybody says: only differences tell
     * anything.
     */
    public static long spentNanos() {
        return Thread.currentThread() instanceof CallThread thread ? thread.spentNanos : 0;
    }

    /** What this thread runs; null if that is no call, or nobody knows. */
    public static @Nullable Described current() {
        return Thread.currentThread() instanceof CallThread thread ? thread.call : null;
    }
}
