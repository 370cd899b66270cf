package org.warpnfs.nfs.idmap;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.keys.Keyed;

/**
 * A cache of a name service's answers. A service may take long or never answer. A query waits for it no longer than
 * {@link Terms#patience}.
 *
 * <pre>
 *   cached                              result of a query
 *   an answer, not older than kept      that answer
 *   an older answer                     that answer at once, and the service is asked again
 *   an answer older than twice kept     what the service answers within the patience, else the old answer
 *   nothing                             the service is asked; what it answers within the patience, else AnswerPending
 *   nothing, the service has failed     AnswerPending, until the pause is over
 * </pre>
 *
 * <p>For each key the service is asked once at a time. While a question has been open for longer than the patience,
 * queries do not wait for other questions: the service is slow, and waiting threads would be missing elsewhere. "No
 * such name" is an answer too, and is cached like any other.
 *
 * <p>Safe for any thread.
 *
 * @param <K> what is asked for
 * @param <V> the answer
 */
public final class KeptAnswers<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger(KeptAnswers.class);

    private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);
    private static final int MOST_SHOWN = 128;
    private static final long NEVER = Long.MIN_VALUE;

    private final AtomicLong loggedNanos = new AtomicLong(NEVER);
    private final AtomicLong failuresNotLogged = new AtomicLong();
    private final String name;
    private final Service<K, V> service;
    private final Terms terms;
    private final Executor threads;
    private final LongSupplier clockNanos;
    private final Cache<Keyed<K>, Answer<V>> kept;
    private volatile NameCounts counts = new NameCounts();
    private final ConcurrentHashMap<K, Question> open = new ConcurrentHashMap<>();

    /** The name service. */
    @FunctionalInterface
    public interface Service<K, V> {
        /**
         * Asks the service. May block for as long as the service takes.
         *
         * @throws IOException if the service failed; that a name does not exist is an answer
         */
        V ask(K key) throws IOException;
    }

    /**
     * Times and size of the cache.
     *
     * @param kept age from which the service is asked again for an answer
     * @param patience how long a query waits at most
     * @param pause time after a failure until the service is asked again
     * @param most total weight of all answers; beyond it, the least recently used answer is removed
     */
    public record Terms(Duration kept, Duration patience, Duration pause, long most) {
        /** Five minutes, 300 ms, 2 s, and ten thousand answers of weight one. */
        public static final Terms DEFAULT =
                new Terms(Duration.ofMinutes(5), Duration.ofMillis(300), Duration.ofSeconds(2), 10_000);

        /** These terms with another {@code kept}. */
        public Terms keptFor(Duration value) {
            return new Terms(value, patience, pause, most);
        }

        /** These terms with another {@code most}. */
        public Terms withMost(long value) {
            return new Terms(kept, patience, pause, value);
        }
    }

    /** @param value null if the service has failed and never answered */
    private record Answer<V>(@Nullable V value, long nanos, boolean isFailure) {}

    private record Question(long nanos, CountDownLatch answered) {}

    /**
     * Makes an empty cache.
     *
     * @param name of the service, for the log
     * @param threads on which the service is called; may refuse
     * @param clockNanos monotonic
     */
    public KeptAnswers(String name, Service<K, V> service, Terms terms, Executor threads, LongSupplier clockNanos) {
        this(name, service, terms, threads, clockNanos, _ -> 1);
    }

    /** @param weight of one answer, at least 1 */
    public KeptAnswers(
            String name,
            Service<K, V> service,
            Terms terms,
            Executor threads,
            LongSupplier clockNanos,
            ToIntFunction<V> weight) {
        this.name = name;
        this.service = service;
        this.terms = terms;
        this.threads = threads;
        this.clockNanos = clockNanos;
        this.kept = CacheBuilder.newBuilder()
                .maximumWeight(terms.most())
                .concurrencyLevel(1)
                .<Keyed<K>, Answer<V>>weigher(
                        (_, answer) -> answer.value() == null ? 1 : weight.applyAsInt(answer.value()))
                .build();
    }

    /** Sets the counters of this cache. */
    public void countedBy(NameCounts value) {
        counts = value;
    }

    /**
     * The answer for a key, within the patience of the terms.
     *
     * @throws AnswerPending if there is none yet
     */
    public V of(K key) throws AnswerPending {
        return of(key, terms.patience());
    }

    /**
     * The answer for a key, within another patience than that of the terms.
     *
     * @throws AnswerPending if there is none within {@code patience}
     */
    public V of(K key, Duration patience) throws AnswerPending {
        try {
            return found(key, patience);
        } catch (AnswerPending e) {
            counts.countPending();
            throw e;
        }
    }

    private V found(K key, Duration patience) throws AnswerPending {
        Answer<V> known = kept.getIfPresent(new Keyed<>(key));
        if (known != null && known.value() != null) {
            counts.countHit();
        }
        if (known == null) {
            await(begin(key, null), patience);
            known = kept.getIfPresent(new Keyed<>(key));
        } else if (age(known.nanos()) > (known.isFailure() ? terms.pause() : terms.kept()).toNanos()) {
            Question asked = begin(key, known);
            if (known.value() == null) {
                await(asked, patience);
                known = kept.getIfPresent(new Keyed<>(key));
            } else if (age(known.nanos()) > 2 * terms.kept().toNanos()) {
                // The answer has not been asked for in a long time. It must not apply once more after a user has left a
                // group or a host has changed its name.
                known = awaited(asked, patience, key, known);
            }
        }
        V value = known == null ? null : known.value();
        if (value == null) {
            throw new AnswerPending();
        }
        return value;
    }

    /**
     * The answer for a key, as one of several queries of a call.
     *
     * @throws AnswerPending if there is none within what is left of {@code patience}
     */
    V of(K key, Patience patience) throws AnswerPending {
        long begun = clockNanos.getAsLong();
        try {
            return of(key, patience.left());
        } finally {
            patience.spend(age(begun));
        }
    }

    /** Number of questions that the service has not answered yet. */
    public int openQuestions() {
        return open.size();
    }

    private long age(long nanos) {
        return clockNanos.getAsLong() - nanos;
    }

    private void await(@Nullable Question asked, Duration patience) throws AnswerPending {
        if (asked == null) {
            throw new AnswerPending();
        }
        boolean isSlow = patience.compareTo(terms.patience()) <= 0 && oldestNanos() > patience.toNanos();
        try {
            if (!asked.answered().await(isSlow ? 0 : patience.toNanos() - age(asked.nanos()), TimeUnit.NANOSECONDS)) {
                throw new AnswerPending();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnswerPending();
        }
    }

    private Answer<V> awaited(@Nullable Question asked, Duration patience, K key, Answer<V> old) {
        try {
            await(asked, patience);
        } catch (AnswerPending e) {
            return old;
        }
        Answer<V> fresh = kept.getIfPresent(new Keyed<>(key));
        return fresh == null ? old : fresh;
    }

    /** Age of the oldest open question. */
    private long oldestNanos() {
        long oldest = 0;
        for (Question question : open.values()) {
            oldest = Math.max(oldest, age(question.nanos()));
        }
        return oldest;
    }

    /**
     * Asks the service, unless a question for the key is open or the answer has changed since {@code seen} was looked
     * up.
     *
     * @return null if there is no thread for it
     */
    private @Nullable Question begin(K key, @Nullable Answer<V> seen) {
        Question fresh = new Question(clockNanos.getAsLong(), new CountDownLatch(1));
        Question asked = open.putIfAbsent(key, fresh);
        if (asked != null) {
            return asked;
        }
        if (!Objects.equals(kept.getIfPresent(new Keyed<>(key)), seen)) {
            end(key, fresh);
            return fresh;
        }
        try {
            counts.countQuestion();
            threads.execute(() -> ask(key, fresh));
            return fresh;
        } catch (RejectedExecutionException e) {
            counts.countRefused();
            counts.countEnd();
            end(key, fresh);
            return null;
        }
    }

    /**
     * Logs a failure, but not more often than {@code BETWEEN_LINES}: clients choose what is asked, and a service that
     * is down fails for every question.
     */
    private void logFailure(K key, Exception failure) {
        long now = clockNanos.getAsLong();
        long last = loggedNanos.get();
        if ((last != NEVER && now - last < BETWEEN_LINES.toNanos()) || !loggedNanos.compareAndSet(last, now)) {
            failuresNotLogged.incrementAndGet();
            return;
        }
        LOG.warn(
                "{} did not answer for {}: {} ({} more like it)",
                name,
                shown(String.valueOf(key)),
                shown(String.valueOf(failure.getMessage())),
                failuresNotLogged.getAndSet(0));
    }

    /**
     * Replaces control characters, which could forge a line of the log, and limits the length. Clients choose these
     * names.
     */
    private static String shown(String text) {
        String start = text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...";
        return start.replaceAll("[\\p{Cntrl}\\p{Cf}\u2028\u2029]", "?");
    }

    private void end(K key, Question question) {
        open.remove(key, question);
        question.answered().countDown();
    }

    private void ask(K key, Question question) {
        try {
            kept.put(new Keyed<>(key), new Answer<>(service.ask(key), clockNanos.getAsLong(), false));
        } catch (IOException | RuntimeException e) {
            Answer<V> before = kept.getIfPresent(new Keyed<>(key));
            kept.put(
                    new Keyed<>(key),
                    new Answer<>(before == null ? null : before.value(), clockNanos.getAsLong(), true));
            counts.countFailure();
            logFailure(key, e);
        } finally {
            counts.countEnd();
            end(key, question);
        }
    }
}
