package org.warpnfs.nfs.v4.state.client;

/** What SEQUENCE found out. */
public sealed interface SequenceOutcome {
    Session session();

    /** A new request: execute it, then give the slot back by {@link Sequences#end}. */
    record Execute(Session session, Slot slot) implements SequenceOutcome {}

    /** A request seen before: the reply that its slot keeps, again. */
    record Replay(Session session, CachedReply reply) implements SequenceOutcome {}

    /** A request seen before whose reply was not kept. */
    record ReplayUncached(Session session) implements SequenceOutcome {}
}
