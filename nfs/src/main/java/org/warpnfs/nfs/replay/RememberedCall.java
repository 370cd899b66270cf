package org.warpnfs.nfs.replay;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallOnThread;

/**
 * A call that may be the repetition of another. The program that received it performs and answers it.
 *
 * <h2>Operation</h2>
 *
 * The call is either performed and then answered, or only answered. Both may happen on the thread of another call,
 * after the method that received this one has returned, but never on two threads at once.
 */
public interface RememberedCall {
    /**
     * Performs the call, and sends no answer. An exception is a defect of the program.
     *
     * @param ended gets the outcome, before this method returns or later on another thread if the call has gone on
     *     there; null means that the call failed by a defect after it had gone on
     */
    void perform(Consumer<@Nullable Outcome> ended);

    /** Sends the outcome of this or of the same call. */
    void answer(EncodedReply reply);

    /** Tells the client to try later: the outcome of the same call is not known yet. */
    void putOff();

    /** Ends the call after a defect, in place of any of the other methods. */
    void fail();

    /**
     * The origin of the call, for log lines that another call's thread writes on its behalf; null if it is not known.
     */
    default CallOnThread.@Nullable Described described() {
        return null;
    }

    /** Result of performing a call. */
    sealed interface Outcome {
        /**
         * The reply is kept, and repetitions get it from now on.
         *
         * @param isRepeatable true if performing the call again has the same effect unless somebody has changed the
         *     file in between; if false, performing it again would have another effect, and its reply is kept longer
         */
        record Kept(EncodedReply reply, boolean isRepeatable) implements Outcome {
            /** The reply to a call that is not repeatable. */
            public Kept(EncodedReply reply) {
                this(reply, false);
            }
        }

        /**
         * The client was told to try later. All waiting repetitions get this answer too, since a client takes the first
         * answer that it gets. If one of them were performed, the client would not learn of it.
         */
        record Passing(EncodedReply reply) implements Outcome {}

        /**
         * The call has changed nothing, and its answer is for this call alone.
         *
         * @param send sends the answer
         */
        record Own(Runnable send) implements Outcome {}
    }
}
