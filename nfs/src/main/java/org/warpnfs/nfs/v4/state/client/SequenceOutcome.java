package org.warpnfs.nfs.v4.state.client;

/** Outcome of SEQUENCE. */
public sealed interface SequenceOutcome {
    Session session();

    /** A new request: execute it, then free the slot by {@link Sequences#end}. */
    record Execute(Session session, Slot slot) implements SequenceOutcome {}

    /** A retry: send the reply that its slot keeps. */
    record Replay(Session session, CachedReply reply) implements SequenceOutcome {}

    /** A retry whose reply was not kept. */
    record ReplayUncached(Session session) implements SequenceOutcome {}
}
