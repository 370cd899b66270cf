package org.warpnfs.nfs.idmap;

import java.util.concurrent.atomic.LongAdder;

/** Counts of cached names and of questions to a name service. Safe for any thread. */
public final class NameCounts {
    /** Names and addresses of hosts, and netgroups. */
    public static final NameCounts HOSTS = new NameCounts();

    /** Groups of users. */
    public static final NameCounts GROUPS = new NameCounts();

    /** Users and groups by name, and their names. */
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

    /** Queries that found an answer in the cache, even an old one. */
    public long hits() {
        return hits.sum();
    }

    /** Questions to a name service. */
    public long questions() {
        return questions.sum();
    }

    /** Questions that the service has not answered yet, or that no thread has sent yet. */
    public long open() {
        return open.sum();
    }

    /** Questions that the service failed to answer. */
    public long failures() {
        return failures.sum();
    }

    /** Questions that were not asked because too many were waiting. */
    public long refused() {
        return refused.sum();
    }

    /** Times that a call was put off because there was no answer in time. */
    public long pending() {
        return pending.sum();
    }
}
