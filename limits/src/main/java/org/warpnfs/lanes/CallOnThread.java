package org.warpnfs.lanes;

import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/**
 * The call that the current thread runs, for log lines. So code that logs a problem need not be given the call.
 *
 * <h2>Operation</h2>
 *
 * {@code around = CallOnThread.begin(call); try { ... } finally { CallOnThread.end(around); }}. The call is a field of
 * {@link RunsCalls} and not a thread-local variable of every thread. That costs one test and one store, and nothing
 * more for a call that logs nothing. Other threads have no current call.
 *
 * <h2>Errors</h2>
 *
 * None. Each method applies to the current thread.
 */
public final class CallOnThread {
    private CallOnThread() {}

    /** The attributes of a call for log lines. They stay valid after the call has ended. Safe for any thread. */
    public interface Described {
        /** The XID of the call. */
        int xid();

        /** The client, as limits count it. */
        ClientAddress client();

        /** The peer's address and port. */
        String peer();

        /** See {@link org.warpnfs.limits.NamedTransport}. */
        String transportName();

        /** The program, version and procedure; null if they are not known yet. */
        @Nullable
        Procedure procedure();
    }

    /** Numbers of a procedure, unsigned. */
    public record Procedure(long program, long version, long procedure) {}

    /**
     * Sets the call that this thread runs.
     *
     * @param call null if the call is unknown
     * @return the previous call of this thread, for {@link #end}
     */
    public static @Nullable Described begin(@Nullable Described call) {
        if (Thread.currentThread() instanceof RunsCalls thread) {
            Described around = thread.current().call;
            thread.current().call = call;
            return around;
        }
        return null;
    }

    /** Restores the previous call of this thread. */
    public static void end(@Nullable Described around) {
        if (Thread.currentThread() instanceof RunsCalls thread) {
            thread.current().call = around;
        }
    }

    /** Adds time that a backend has used of this thread. */
    public static void spent(long nanos) {
        if (Thread.currentThread() instanceof RunsCalls thread) {
            thread.current().spentNanos += nanos;
        }
    }

    /**
     * The time that backends have used of this thread since it started, as far as they report it. Only differences have
     * a meaning.
     */
    public static long spentNanos() {
        return Thread.currentThread() instanceof RunsCalls thread ? thread.current().spentNanos : 0;
    }

    /** The call that this thread runs; null if it runs none, or if the call is unknown. */
    public static @Nullable Described current() {
        return Thread.currentThread() instanceof RunsCalls thread ? thread.current().call : null;
    }
}
