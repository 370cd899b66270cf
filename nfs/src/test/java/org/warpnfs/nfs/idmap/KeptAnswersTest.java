package org.warpnfs.nfs.idmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class KeptAnswersTest {
    /** No query waits: an answer that is not there at once is pending. */
    private static final KeptAnswers.Terms TERMS =
            new KeptAnswers.Terms(Duration.ofSeconds(10), Duration.ZERO, Duration.ofSeconds(2), 3);

    private final Deque<Runnable> questions = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private long nowNanos = 1;
    private String answer = "first";
    private boolean fails;

    private final KeptAnswers<String, String> answers =
            new KeptAnswers<>("the test's service", this::ask, TERMS, questions::add, () -> nowNanos);

    private String ask(String key) throws IOException {
        asked.add(key);
        if (fails) {
            throw new IOException("out of order");
        }
        return key + " " + answer;
    }

    private void serve() {
        while (!questions.isEmpty()) {
            questions.remove().run();
        }
    }

    private void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    private void assertPending(String key) {
        assertThatThrownBy(() -> answers.of(key)).isInstanceOf(AnswerPending.class);
    }

    @Test
    void question_notAnswered_isAskedOnceAndPending() {
        assertPending("a");
        assertPending("a");
        assertThat(questions).hasSize(1);
        assertThat(answers.openQuestions()).isEqualTo(1);
    }

    @Test
    void answer_isKept_andTheServiceIsNotAskedAgain() throws Exception {
        assertPending("a");
        serve();
        assertThat(answers.of("a")).isEqualTo("a first");
        pass(Duration.ofSeconds(10));
        assertThat(answers.of("a")).isEqualTo("a first");
        assertThat(asked).containsExactly("a");
    }

    @Test
    void answer_tooOld_isGivenOnceMoreWhileTheServiceIsAsked() throws Exception {
        assertPending("a");
        serve();
        pass(Duration.ofSeconds(11));
        answer = "second";
        assertThat(answers.of("a")).isEqualTo("a first");
        assertThat(answers.of("a")).isEqualTo("a first");
        assertThat(questions).hasSize(1);
        serve();
        assertThat(answers.of("a")).isEqualTo("a second");
    }

    @Test
    void questions_areCountedByWhatBecameOfThem() throws Exception {
        NameCounts counts = new NameCounts();
        answers.countedBy(counts);
        assertPending("a");
        assertThat(counts.open()).isEqualTo(1);
        serve();
        answers.of("a");
        answers.of("a");
        fails = true;
        assertPending("b");
        serve();
        assertThat(List.of(counts.questions(), counts.open(), counts.hits(), counts.pending(), counts.failures()))
                .containsExactly(2L, 0L, 2L, 2L, 1L);
        KeptAnswers<String, String> refused = new KeptAnswers<>(
                "the test's service",
                this::ask,
                TERMS,
                _ -> {
                    throw new RejectedExecutionException();
                },
                () -> nowNanos);
        refused.countedBy(counts);
        assertThatThrownBy(() -> refused.of("c")).isInstanceOf(AnswerPending.class);
        assertThat(List.of(counts.refused(), counts.open(), counts.pending())).containsExactly(1L, 0L, 3L);
    }

    /** A user that comes back after a week may have left a group meanwhile. */
    @Test
    void answer_nobodyHasAskedForInLong_isAskedForAnew() throws Exception {
        KeptAnswers<String, String> direct =
                new KeptAnswers<>("the test's service", this::ask, TERMS, Runnable::run, () -> nowNanos);
        assertThat(direct.of("a")).isEqualTo("a first");
        answer = "second";
        pass(Duration.ofDays(7));
        assertThat(direct.of("a")).isEqualTo("a second");
        fails = true;
        pass(Duration.ofDays(7));
        assertThat(direct.of("a")).as("better than nothing").isEqualTo("a second");
    }

    @Test
    void failure_ofANameThatAClientMadeUp_isOneShortLine() {
        Logger logger = (Logger) LoggerFactory.getLogger(KeptAnswers.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            fails = true;
            assertPending("alice\n2026-11-22 INFO  all is well\u001b[2J\u2028" + "x".repeat(1000));
            serve();
        } finally {
            logger.detachAppender(lines);
        }
        String line = lines.list.getFirst().getFormattedMessage();
        assertThat(line)
                .contains("alice?2026")
                .doesNotContain("\n", "\u001b", "\u2028")
                .hasSizeLessThan(300);
    }

    @Test
    void service_failed_isLeftInPeaceForAWhile() throws Exception {
        fails = true;
        assertPending("a");
        serve();
        assertPending("a");
        assertThat(questions).isEmpty();
        fails = false;
        pass(Duration.ofSeconds(3));
        assertPending("a");
        serve();
        assertThat(answers.of("a")).isEqualTo("a first");
    }

    @Test
    void service_failedAfterAnAnswer_theAnswerStays() throws Exception {
        assertPending("a");
        serve();
        fails = true;
        pass(Duration.ofSeconds(11));
        assertThat(answers.of("a")).isEqualTo("a first");
        serve();
        assertThat(answers.of("a")).isEqualTo("a first");
        pass(Duration.ofSeconds(3));
        fails = false;
        answer = "second";
        assertThat(answers.of("a")).isEqualTo("a first");
        serve();
        assertThat(answers.of("a")).isEqualTo("a second");
    }

    @Test
    void failures_ofManyQuestions_areOneLineAMinute() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(KeptAnswers.class);
        log.addAppender(lines);
        try {
            fails = true;
            for (int i = 0; i < 50; i++) {
                assertPending("uid " + i);
                serve();
            }
            assertThat(lines.list).hasSize(1);
            pass(Duration.ofMinutes(2));
            assertPending("another");
            serve();
            assertThat(lines.list).hasSize(2);
            assertThat(lines.list.getLast().getFormattedMessage()).contains("49 more like it");
        } finally {
            log.detachAppender(lines);
        }
    }

    @Test
    void answers_beyondTheirNumber_pushOutTheOneUsedLeastLately() throws Exception {
        for (String key : List.of("a", "b", "c", "d")) {
            assertPending(key);
            serve();
        }
        assertThat(answers.of("d")).isEqualTo("d first");
        assertPending("a");
    }

    @Test
    void noThread_isPending_andTheNextOneAsks() throws Exception {
        boolean[] refuses = {true};
        Executor threads = task -> {
            if (refuses[0]) {
                throw new RejectedExecutionException("no thread");
            }
            task.run();
        };
        KeptAnswers<String, String> few =
                new KeptAnswers<>("the test's service", this::ask, TERMS, threads, () -> nowNanos);
        assertThatThrownBy(() -> few.of("a")).isInstanceOf(AnswerPending.class);
        assertThat(few.openQuestions()).isZero();
        refuses[0] = false;
        assertThat(few.of("a")).isEqualTo("a first");
    }

    @Test
    void service_slow_nobodyWaitsWhileAQuestionIsOpenForTooLong() throws Exception {
        // A query that waited would wait for a minute.
        KeptAnswers.Terms patient =
                new KeptAnswers.Terms(Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofSeconds(2), 3);
        KeptAnswers<String, String> slow =
                new KeptAnswers<>("the test's service", this::ask, patient, questions::add, () -> nowNanos);
        Thread first = Thread.ofVirtual().start(() -> {
            try {
                String _ = slow.of("a");
            } catch (AnswerPending e) {
                // The answer is not needed.
            }
        });
        while (slow.openQuestions() == 0) {
            Thread.onSpinWait();
        }
        pass(Duration.ofMinutes(2));
        assertThatThrownBy(() -> slow.of("a")).isInstanceOf(AnswerPending.class);
        assertThatThrownBy(() -> slow.of("b")).isInstanceOf(AnswerPending.class);
        serve();
        assertThat(slow.of("b")).isEqualTo("b first");
        first.join();
    }

    @Test
    void manyAsk_theSameQuestion_allGetTheOneAnswer() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        KeptAnswers.Terms patient =
                new KeptAnswers.Terms(Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofSeconds(2), 3);
        KeptAnswers<String, String> shared = new KeptAnswers<>(
                "the test's service",
                key -> {
                    try {
                        mayAnswer.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return ask(key);
                },
                patient,
                task -> Thread.ofPlatform().daemon().start(task),
                System::nanoTime);
        List<String> got = Collections.synchronizedList(new ArrayList<>());
        List<Thread> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(Thread.ofPlatform().start(() -> {
                try {
                    got.add(shared.of("a"));
                } catch (AnswerPending e) {
                    got.add("pending");
                }
            }));
        }
        mayAnswer.countDown();
        for (Thread thread : waiting) {
            thread.join();
        }
        assertThat(got).hasSize(5).containsOnly("a first");
        assertThat(asked).containsExactly("a");
    }
}
