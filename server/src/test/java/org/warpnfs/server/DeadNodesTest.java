package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.nfs.cluster.ClusterRecord;
import org.warpnfs.nfs.cluster.ClusterTiming;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.server.config.PluginChoice;

/** When what dead nodes have left is ended, and that nothing of others is. */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadNodesTest {
    private static final ClusterTiming TIMING = new ClusterTiming(1, 60, 80, 640);
    private static final long RANDOM = 7;
    private static final long LATER = TIMING.deadNanos() / 2 + RANDOM;

    private final Recorded remains = new Recorded();
    private final DeadNodes dead = new DeadNodes(TIMING, remains, below -> {
        assertThat(below).isGreaterThan(RANDOM);
        return RANDOM;
    });

    /** Remembers what was ended, and fails as often as it is told to. */
    private static final class Recorded implements Remains {
        final LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();
        final AtomicInteger failures = new AtomicInteger();
        /** A node of which nothing can ever be ended. */
        volatile String stuck = "";

        @Override
        public boolean isNothing() {
            return false;
        }

        @Override
        public void awaitEngine() {
            throw new AssertionError();
        }

        @Override
        public PluginChoice backendOf(int instance, PluginChoice choice) {
            throw new AssertionError();
        }

        @Override
        public void opening(int instance, String source) {
            throw new AssertionError();
        }

        @Override
        public void leaving(int instance) {
            throw new AssertionError();
        }

        @Override
        public void endFormer(int instance) {
            throw new AssertionError();
        }

        @Override
        public void end(String node, int instance) throws IOException {
            if (node.equals(stuck) || failures.getAndDecrement() > 0) {
                throw new IOException("no answer");
            }
            ended.add(node + " " + instance);
        }
    }

    @AfterEach
    void close() {
        dead.close();
    }

    private static Member member(int instance, boolean running, long enforcing) {
        return new Member(instance, running, !running, enforcing, new Member.Records(1, instance));
    }

    private static ClusterRecord record(long epoch, long recovery, Map<String, Member> members) {
        return new ClusterRecord("00112233445566778899aabbccddeeff", 9, epoch, recovery, new TreeMap<>(members));
    }

    private static ClusterRecord allRun() {
        return record(1, 0, Map.of("a", member(1, true, 1), "b", member(2, true, 1), "c", member(3, true, 1)));
    }

    /** A grace period, which {@code c} enforces or does not yet. */
    private static ClusterRecord bFailed(long enforcedByC) {
        return record(
                2, 1, Map.of("a", member(1, true, 2), "b", member(2, false, 1), "c", member(3, true, enforcedByC)));
    }

    @Test
    void nodeThatThisOneDeclaredDead_isEndedOnceEveryGatewayGrantsNothing() throws Exception {
        dead.saw(allRun(), 0);
        dead.declared("b", 2, 10);
        dead.saw(bFailed(1), 10);
        assertThat(remains.ended).as("its locks could be given to clients of c").isEmpty();
        dead.saw(bFailed(2), 11);
        assertThat(remains.ended.take()).isEqualTo("b 2");
        dead.saw(bFailed(2), 500);
        dead.close();
        assertThat(remains.ended).isEmpty();
    }

    @Test
    void gatewayThatNeverEnforces_doesNotKeepWhatIsLeft() throws Exception {
        dead.saw(allRun(), 0);
        dead.declared("b", 2, 10);
        dead.saw(bFailed(1), 9 + TIMING.deadNanos());
        assertThat(remains.ended).isEmpty();
        dead.saw(bFailed(1), 10 + TIMING.deadNanos());
        assertThat(remains.ended.take()).isEqualTo("b 2");
    }

    @Test
    void nodeThatAnotherDeclaredDead_isEndedLater_inCaseThatOneDies() throws Exception {
        dead.saw(allRun(), 0);
        dead.saw(bFailed(2), 10);
        dead.saw(bFailed(2), 9 + LATER);
        assertThat(remains.ended).isEmpty();
        dead.saw(bFailed(2), 10 + LATER);
        assertThat(remains.ended.take()).isEqualTo("b 2");
    }

    @Test
    void nodeThatRanOutOfTheRecord_orIsFoundDeadAtTheStart_isEnded() throws Exception {
        dead.saw(bFailed(2), 0);
        dead.saw(bFailed(2), LATER);
        assertThat(remains.ended.take()).isEqualTo("b 2");
        ClusterRecord without = record(2, 0, Map.of("a", member(1, true, 2)));
        dead.saw(without, 1000);
        dead.saw(without, 1000 + LATER);
        assertThat(remains.ended.take()).isEqualTo("c 3");
    }

    @Test
    void nodeThatRuns_isNeverEnded_onlyItsEarlierInstance() throws Exception {
        dead.saw(allRun(), 0);
        ClusterRecord again = record(2, 0, Map.of("a", member(1, true, 2), "b", member(4, true, 2)));
        for (int i = 1; i < 4; i++) {
            dead.saw(again, i * 1000L);
        }
        assertThat(remains.ended.take() + ", " + remains.ended.take()).contains("b 2", "c 3");
        dead.close();
        assertThat(remains.ended).isEmpty();
    }

    @Test
    void engineThatDoesNotAnswer_isAskedAgain() throws Exception {
        remains.failures.set(3);
        dead.saw(allRun(), 0);
        dead.declared("b", 2, 10);
        dead.saw(bFailed(2), 11);
        assertThat(remains.ended.take()).isEqualTo("b 2");
    }

    @Test
    void nodeOfWhichNothingCanBeEnded_doesNotKeepTheOthers() throws Exception {
        remains.stuck = "b";
        dead.saw(allRun(), 0);
        dead.declared("b", 2, 10);
        dead.saw(bFailed(2), 11);
        ClusterRecord alone = record(3, 1, Map.of("a", member(1, true, 3)));
        dead.declared("c", 3, 20);
        dead.saw(alone, 20);
        assertThat(remains.ended.take()).isEqualTo("c 3");

        remains.stuck = "";
        assertThat(remains.ended.take()).as("it was tried again").isEqualTo("b 2");
    }
}
