package org.warpnfs.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.lanes.CallThread;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.stats.CallOrigin;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.CallTrail;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/** Which calls are logged as slow, and what their lines contain, in text and in JSON. The test drives the clock. */
class SlowCallsTest {
    private static final OperationMeter COMPOUND = new OperationMeter.Off(Metered.call("nfs", "4.1", "COMPOUND"));
    private static final OperationMeter SEQUENCE = new OperationMeter.Off(Metered.operation("4.1", "SEQUENCE"));
    private static final OperationMeter READ = new OperationMeter.Off(Metered.operation("4.1", "READ"));

    private final AtomicLong clock = new AtomicLong();
    private final SlowCalls slow = new SlowCalls(
            Duration.ofMillis(100), new LogLimiter(Duration.ofMinutes(1), 8, clock::get), this::steps, clock::get);
    private final List<CallTrail> ended = new ArrayList<>();
    private final CallRecorder meters = new CallRecorder() {
        @Override
        public OperationMeter meter(Metered what) {
            return new OperationMeter.Off(what);
        }

        @Override
        public long nanoTime() {
            return clock.get();
        }
    };
    private final CallRecorder recorder = WatchedCalls.of(meters, List.of(slow::ended, ended::add));

    private record Origin(int xid, String peer, long waitedNanos) implements CallOrigin {
        @Override
        public long spentNanos() {
            return CallOnThread.spentNanos();
        }

        @Override
        public String transport() {
            return "rdma";
        }
    }

    /** Returns the time in the steps of a coarse clock. */
    private long steps() {
        return clock.get() / Duration.ofMillis(5).toNanos();
    }

    /** A call whose transport reports when the reply has been sent. */
    private record Told(List<Runnable> left) implements CallOrigin {
        @Override
        public int xid() {
            return 0xcafe;
        }

        @Override
        public String peer() {
            return "192.0.2.1:700";
        }

        @Override
        public boolean onReplyLeft(Runnable task) {
            left.add(task);
            return true;
        }
    }

    /** Runs a call without operations, whose reply is sent {@code sentMillis} after the call ended. */
    private void answer(int tookMillis, int sentMillis) {
        List<Runnable> left = new ArrayList<>();
        CallTimer timer = CallTimer.begin(recorder, meters.meter(Metered.call("nfs", "3", "READ")), new Told(left));
        pass(tookMillis);
        timer.ended("OK");
        pass(sentMillis);
        left.forEach(Runnable::run);
    }

    @Test
    void replyThatWaitsToBeSent_makesItsCallSlow() {
        try (Written lines = new Written(SlowCalls.class)) {
            answer(1, 98);
            assertThat(lines.messages()).as("99 ms").isEmpty();
            answer(20, 80);
            assertThat(lines.messages())
                    .containsExactly(
                            "slow: nfs 3 READ of 192.0.2.1:700 over other took 20.0 ms: OK; ran 20.0 ms, waited "
                                    + "0.0 ms for its first thread,"
                                    + " 0.0 ms for other threads and memory, and its reply 80.0 ms to be sent (0 "
                                    + "more like it)");
        }
    }

    /**
     * A line has all times of its call. So even for a call that is already slow, it is written only when the reply has
     * been sent.
     */
    @Test
    void slowCall_isToldOfWhenItsReplyHasLeft() {
        try (Written lines = new Written(SlowCalls.class)) {
            answer(100, 0);
            pass(60_000);
            answer(150, 3);
            assertThat(lines.messages())
                    .hasSize(2)
                    .satisfiesExactly(
                            line -> assertThat(line).contains("and its reply 0.0 ms to be sent"),
                            line -> assertThat(line).contains("and its reply 3.0 ms to be sent"));
        }
    }

    @Test
    void whatABackendTook_isToldOfEachOperationAndOfTheCall() throws Exception {
        try (Written lines = new Written(SlowCalls.class)) {
            CallThread thread = new CallThread(
                    () -> {
                        CallTimer timer = CallTimer.begin(recorder, COMPOUND, new Origin(0xcafe, "192.0.2.1:700", 0));
                        pass(1);
                        timer.operationEnded(SEQUENCE, "OK");
                        pass(120);
                        CallOnThread.spent(Duration.ofMillis(115).toNanos());
                        timer.operationEnded(READ, "OK");
                        timer.ended("OK");
                    },
                    "of a call");
            thread.start();
            thread.join();
            assertThat(lines.messages())
                    .singleElement()
                    .asString()
                    .contains("SEQUENCE 1.0 ms, READ 120.0 ms (115.0 ms in the backend), waited");
            assertThat(lines.json()).contains("\"backendMillis\":\"115\"");
        }
    }

    private void pass(int millis) {
        clock.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private long waitedNanos;

    private void read(String peer, int millis) {
        CallTimer timer = CallTimer.begin(recorder, COMPOUND, new Origin(0xcafe, peer, waitedNanos));
        pass(1);
        timer.operationEnded(SEQUENCE, "OK");
        pass(20);
        timer.resumed();
        pass(millis);
        timer.operationEnded(READ, "IO");
        timer.ended("IO");
    }

    @Test
    void slowCall_isOneLine_withItsOperationsAndWhatItWaitedFor() {
        try (Written lines = new Written(SlowCalls.class)) {
            read("192.0.2.1:700", 79);
            assertThat(lines.messages())
                    .containsExactly(
                            "slow: nfs 4.1 COMPOUND of 192.0.2.1:700 over rdma took 100.0 ms: IO; SEQUENCE 1.0 "
                                    + "ms, READ 79.0 ms IO,"
                                    + " waited 0.0 ms for its first thread, 20.0 ms for other threads and memory "
                                    + "(0 more like it)");
            read("192.0.2.2:700", 78);
            assertThat(lines.messages()).as("99 ms").hasSize(1);
        }
        assertThat(ended).hasSize(2);
    }

    /** A client waits for the whole time of a call, not just for the time in which the server works on it. */
    @Test
    void callThatWaitedForItsFirstThread_isSlowToo() {
        waitedNanos = Duration.ofMillis(60).toNanos();
        try (Written lines = new Written(SlowCalls.class)) {
            read("192.0.2.1:700", 19);
            assertThat(lines.messages())
                    .singleElement()
                    .asString()
                    .contains("took 100.0 ms", "waited 60.0 ms for its first thread, 20.0 ms for other threads");
        }
    }

    @Test
    void callWithoutOperations_tellsWhatItRanAndWhatItWaited() {
        waitedNanos = Duration.ofMillis(5).toNanos();
        try (Written lines = new Written(SlowCalls.class)) {
            OperationMeter read = meters.meter(Metered.call("nfs", "3", "READ"));
            CallTimer timer = CallTimer.begin(recorder, read, new Origin(0xcafe, "192.0.2.1:700", waitedNanos));
            pass(40);
            timer.given();
            pass(60);
            timer.ended("OK");
            assertThat(lines.messages())
                    .containsExactly("slow: nfs 3 READ of 192.0.2.1:700 over rdma took 105.0 ms: OK; ran 60.0 ms,"
                            + " waited 5.0 ms for its first thread, 40.0 ms for other threads and memory "
                            + "(0 more like it)");
        }
    }

    @Test
    void manySlowCalls_areALineAMinuteForEachClient() {
        try (Written lines = new Written(SlowCalls.class)) {
            for (int i = 0; i < 5; i++) {
                read("192.0.2.1:" + (700 + i), 200);
                read("[2001:db8::1]:" + (700 + i), 200);
            }
            assertThat(lines.messages()).hasSize(2);
            pass(60_000);
            read("192.0.2.1:700", 200);
            assertThat(lines.messages()).hasSize(3);
            assertThat(lines.messages().getLast()).endsWith("(4 more like it)");
        }
    }

    @Test
    void json_isAnObjectALine_withWhoAndWhy() throws Exception {
        try (Written lines = new Written(SlowCalls.class)) {
            read("192.0.2.1:700", 200);
            assertThat(lines.json().lines()).hasSize(1);
            JsonNode line = new ObjectMapper().readTree(lines.json());
            assertThat(line.get("level").asText()).isEqualTo("WARN");
            assertThat(line.get("loggerName").asText()).isEqualTo(SlowCalls.class.getName());
            assertThat(line.get("formattedMessage").asText())
                    .startsWith("slow: nfs 4.1 COMPOUND of 192.0.2.1:700 over rdma");
            assertThat(line.get("timestamp").asLong()).isPositive();
            assertThat(line.get("kvpList").findValuesAsText("peer")).containsExactly("192.0.2.1:700");
            assertThat(line.get("kvpList").findValuesAsText("xid")).containsExactly("cafe");
            assertThat(line.get("kvpList").findValuesAsText("cause")).containsExactly("slow call");
        }
    }

    /** The memory for a COMPOUND with very many operations is bounded, because the trail keeps only the first. */
    @Test
    void trail_ofManyOperations_keepsSome() {
        CallTimer timer = CallTimer.begin(recorder, COMPOUND, CallOrigin.UNKNOWN);
        for (int i = 0; i < 1000; i++) {
            timer.operationEnded(READ, "OK");
        }
        timer.ended("OK");
        assertThat(ended.getFirst().operations()).isEqualTo(1000);
        assertThat(ended.getFirst().kept()).isEqualTo(CallTrail.MAX_OPERATIONS);
    }

    @Test
    void withoutReaders_nothingIsWrittenDown() {
        assertThat(WatchedCalls.of(meters, List.of())).isSameAs(meters);
        assertThat(meters.trail(CallOrigin.UNKNOWN)).isNull();
    }
}
