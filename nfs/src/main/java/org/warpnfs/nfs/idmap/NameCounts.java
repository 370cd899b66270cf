package org.warpnfs.nfs.idmap;

import java.util.concurrent.atomic.LongAdder;

/** How often names were known already, and what became of questions to a name service. Safe for any thread. */
public final class NameCounts {
    /** Names and addresses of hosts, and netgroups. */
    public static final NameCounts HOSTS = new NameCounts();

    /** Groups of users. */
    public static final NameCounts GROUPS = new NameCounts();

    /** Users and groups by name, and names of them. */
    public static final NameCounts OWNERS = new NameCounts();

    private final LongAdder hits = new LongAdder();
    private final LongAdder questions = new LongAdder();
    private final LongAdder open = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder pending = new LongAdder();

    NameCounts() {}

    void countHit() {
        hits.increment();
    }

    void countQuestion() {
        questions.increment();
        open.increment();
    }

    void countEnd() {
        open.decrement();
    }

    void countFailure() {
        failures.increment();
    }

    void countRefused() {
        refused.increment();
    }

    void countPending() {
        pending.increment();
    }

    /** Answers that were there, an old one among them. */
    public long hits() {
        return hits.sum();
    }

    /** Questions that a name service was asked. */
    public long questions() {
        return questions.sum();
    }

    /** Of those, how many it has not answered yet, or not been told yet. */
    public long open() {
        return open.sum();
    }

    /** Questions that it could not answer. */
    public long failures() {
        return failures.sum();
    }

    /** Questions that were not asked, since too many waited. */
    public long refused() {
        return refused.sum();
    }

    /** Times that a call was put off, since there was no answer in time. */
    public long pending() {
        return pending.sum();
    }
}
