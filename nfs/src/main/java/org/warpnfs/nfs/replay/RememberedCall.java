package org.warpnfs.nfs.replay;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallOnThread;

/**
 * One call that may be the repetition of another, as the program that received it performs and answers it.
 *
 * <h2>Operation</h2>
 *
 * It is either performed, and then answered, or only answered. Both may happen on the thread of another call, after the
 * method that received it has returned; never on two threads at once.
 */
public interface RememberedCall {
    /**
     * Performs it, and answers nothing yet. What it throws is a defect of the program.
     *
     * @param ended hears what it came to, before this returns or later on another thread, which may be one that has
     *     gone on with the call elsewhere; null is a defect too, of a call that has gone on
     */
    void perform(Consumer<@Nullable Outcome> ended);

    /** Sends what it, or the same call, came to. */
    void answer(EncodedReply reply);

    /** Has the client try later: nobody knows yet what the same call comes to. */
    void putOff();

    /** A defect, in place of any of the others: the call is to end all the same. */
    void fail();

    /**
     * Whose call it is, for lines of the log while another call's thread does something for it; null if nobody knows.
     */
    default CallOnThread.@Nullable Described described() {
        return null;
    }

    /** What performing a call came to. */
    sealed interface Outcome {
        /**
         * It is answered from memory from now on.
         *
         * @param isRepeatable doing it again does the same, unless someone has done something else in between; if not,
         *     doing it again would do something else, and it is remembered longer
         */
        record Kept(EncodedReply reply, boolean isRepeatable) implements Outcome {
            /** Of a call that cannot be repeated. */
            public Kept(EncodedReply reply) {
                this(reply, false);
            }
        }

        /**
         * It was told to come later. That is what all hear who wait for it, since a client takes the first answer it
         * gets: were it performed for another of them, the client would not know.
         */
        record Passing(EncodedReply reply) implements Outcome {}

        /**
         * It has changed nothing, and its answer is for this call alone.
         *
         * @param send answers
         */
        record Own(Runnable send) implements Outcome {}
    }
}
