package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a node decides, one event at a time. Times are plain numbers. */
class MembershipTest {
    private static final ClusterTiming TIMING = new ClusterTiming(1, 5, 8, 20);
    private static final ClusterRecord EMPTY = ClusterRecord.empty("00112233445566778899aabbccddeeff");

    private final Map<String, Beat> beats = new HashMap<>();
    private ClusterStore.Versioned latest = new ClusterStore.Versioned(1, EMPTY.join("a"));
    private Membership a = new Membership("a", TIMING, latest, 0, new Random(1));
    private long now;

    private void write(ClusterRecord next) {
        latest = new ClusterStore.Versioned(latest.version() + 1, next);
    }

    private Membership.Step stepOf(Membership node) {
        node.renewed(now, now, latest);
        Signs signs = new Signs(node.watched(latest.record()), beats, now);
        return node.step(now, new View(latest, signs, now));
    }

    /** Lets a node do all it has to do, but for what it cannot. */
    private Membership.Step settle(Membership node, boolean canPrepare) {
        while (true) {
            Membership.Step step = stepOf(node);
            switch (step) {
                case Membership.Step.Propose(ClusterRecord next) -> write(next);
                case Membership.Step.Prepare(long epoch) -> {
                    if (!canPrepare) {
                        return step;
                    }
                    node.prepared(epoch);
                }
                case Membership.Step.Look() -> {}
                case Membership.Step.Idle() -> {
                    return step;
                }
                case Membership.Step.Lost() -> {
                    return step;
                }
            }
        }
    }

    private Member member(String node) {
        return Objects.requireNonNull(latest.record().member(node));
    }

    private void restart(String node) {
        write(latest.record().failed(node, member(node).instance()).join(node));
    }

    @Test
    void doneNode_letsNoClientReclaim_beforeItSeesTheLift() {
        write(latest.record().failed("a", 1).join("a"));
        a = new Membership("a", TIMING, latest, now, new Random(1));
        settle(a, true);
        assertThat(a.mayReclaim(now)).isTrue();
        a.done();
        assertThat(a.mayReclaim(now)).isFalse();
        assertThat(a.isEnforced(now)).isTrue();
    }

    @Test
    void stopWithoutClients_whileTheEarlierOnesMayReclaim_keepsTheirRecords() {
        write(latest.record().join("b"));
        restart("b");
        Membership b = new Membership("b", TIMING, latest, now, new Random(1));
        write(b.stopped(latest.record(), false));
        assertThat(member("b").need()).isTrue();
        assertThat(member("b").records()).isEqualTo(new Member.Records(1, 2));
        assertThat(latest.record().isGrace()).isTrue();
    }

    @Test
    void stopWithoutClients_onceTheEarlierOnesAreDone_leavesNothing() {
        write(latest.record().join("b"));
        restart("b");
        Membership b = new Membership("b", TIMING, latest, now, new Random(1));
        b.done();
        write(b.stopped(latest.record(), false));
        assertThat(latest.record().members()).containsOnlyKeys("a");
    }

    @Test
    void nodeWhoseClockStoodStill_andReadsThatItIsDead_grantsNothing_whileItLooksAtTheOthers() {
        // The virtual machine was paused: no time has passed by its own clock, but the others declared it dead.
        write(latest.record().failed("a", member("a").instance()));
        assertThat(a.isEnforced(now)).isFalse();
        a.renewed(now, now, latest);
        // It has not stepped: the signs of the others are still being read, which may take long.
        assertThat(a.isEnforced(now)).isTrue();
        assertThat(a.isLost(now)).isTrue();
        assertThat(stepOf(a)).isInstanceOf(Membership.Step.Lost.class);
    }

    @Test
    void nodeThatReadsOfAGracePeriod_grantsNothing_whileItLooksAtTheOthers() {
        write(latest.record().join("b"));
        write(latest.record().failed("b", member("b").instance()));
        assertThat(latest.record().isGrace()).isTrue();
        a.renewed(now, now, latest);
        assertThat(a.isEnforced(now)).isTrue();
        assertThat(a.isLost(now)).isFalse();
    }

    @Test
    void nodeThatWasStoppedForLong_grantsNothing_thoughItHasReadNothing() {
        // SIGSTOP: its clock goes on.
        now += TIMING.deadNanos();
        assertThat(a.isEnforced(now)).isTrue();
        a.renewed(now, now, latest);
        assertThat(a.isEnforced(now)).isTrue();
    }

    @Test
    void nodeThatWasStoppedForLong_answersNothing_evenOnceItStopsInOrder() {
        now += TIMING.fenceNanos() - 1;
        assertThat(a.mayAnswer(now)).isTrue();
        now++;
        assertThat(a.mayAnswer(now)).isFalse();
        a.leave(now);
        assertThat(a.mayAnswer(now)).isFalse();
    }

    @Test
    void nodeThatReadsThatItIsDead_answersNothing_thoughNoTimeHasPassed() {
        write(latest.record().failed("a", member("a").instance()));
        assertThat(a.mayAnswer(now)).isTrue();
        a.renewed(now, now, latest);
        assertThat(a.mayAnswer(now)).isFalse();
    }

    @Test
    void nodeThatStopsInOrder_answersWhatItHasBegun() {
        a.leave(now);
        assertThat(a.isLost(now)).isTrue();
        write(a.stopped(latest.record(), true));
        a.renewed(now, now, latest);
        now += TIMING.deadNanos();
        assertThat(a.mayAnswer(now)).isTrue();
    }

    @Test
    void nodeOfAGracePeriod_answers() {
        write(latest.record().join("b"));
        write(latest.record().failed("b", member("b").instance()));
        a.renewed(now, now, latest);
        assertThat(a.isEnforced(now)).isTrue();
        assertThat(a.mayAnswer(now)).isTrue();
    }

    @Test
    void nodeThatCannotWriteItsList_butGivesSignsOfLife_losesItsPlace() {
        write(latest.record().join("b").failed("b", 2));
        assertThat(settle(a, false)).isInstanceOf(Membership.Step.Prepare.class);
        while (now < TIMING.deadNanos() - 1) {
            now++;
            assertThat(settle(a, false)).isInstanceOf(Membership.Step.Prepare.class);
        }
        now++;
        assertThat(settle(a, false)).isInstanceOf(Membership.Step.Lost.class);
        assertThat(a.isLost(now)).isTrue();
    }

    @Test
    void nodeWhoseClientsAreNeverDone_endsTheirPeriod_onceItsTimeIsUp() {
        restart("a");
        a = new Membership("a", TIMING, latest, now, new Random(1));
        while (now < TIMING.recoveryNanos() - 1) {
            now++;
            settle(a, true);
        }
        assertThat(a.mayReclaim(now)).isTrue();
        now++;
        settle(a, true);
        assertThat(latest.record().isGrace()).isFalse();
        assertThat(a.mayReclaim(now)).isFalse();
        assertThat(a.isLost(now)).isFalse();
    }

    @Test
    void nodeThatStartsAndFailsAgainAndAgain_doesNotKeepTheOthersInGraceForEver() {
        write(latest.record().join("b"));
        int starts = 0;
        while (starts == 0 || latest.record().isGrace()) {
            restart("b");
            starts++;
            for (int beat = 1; beat < TIMING.deadNanos() + 4; beat++) {
                now++;
                settle(a, true);
                if (!latest.record().isGrace()) {
                    break;
                }
            }
            assertThat(now).as("time after %s starts", starts).isLessThan(2 * TIMING.recoveryNanos());
            if (latest.record().member("b") == null) {
                break;
            }
        }
        assertThat(starts).isGreaterThan(1);
        assertThat(a.isEnforced(now)).isFalse();
    }

    /** Forty nodes run by the record; a has just come back. */
    private void comeBackAmongForty() {
        ClusterRecord record = latest.record();
        for (int node = 0; node < 39; node++) {
            record = record.join("n%03d".formatted(node));
        }
        write(record);
        restart("a");
        a = new Membership("a", TIMING, latest, now, new Random(1));
    }

    @Test
    void firstOfManyThatFailedTogether_findsAllDead_inTheTimeOfOne() {
        comeBackAmongForty();
        while (now <= TIMING.deadNanos() + 1) {
            settle(a, true);
            now++;
        }
        assertThat(latest.record().isEnforcedByAll()).isTrue();
        assertThat(a.mayReclaim(now)).isTrue();
        assertThat(a.watched(latest.record())).isEmpty();
    }

    @Test
    void nodeThatComesBack_looksAtFew_onceItHasHeardOfThem() {
        comeBackAmongForty();
        for (int sign = 1; sign <= 3; sign++) {
            latest.record()
                    .members()
                    .forEach((node, member) -> beats.put(node, new Beat(member.instance(), now, 1, false)));
            settle(a, true);
            now++;
        }
        assertThat(latest.record().isEnforcedByAll()).isFalse();
        assertThat(a.watched(latest.record())).hasSize(Ring.WATCHED);
    }

    @Test
    void severalNodesThatStartAndFailInTurn_doNotKeepTheOthersInGraceForEver() {
        write(latest.record().join("b").join("c"));
        restart("b");
        restart("c");
        for (int start = 0; latest.record().isGrace(); start++) {
            assertThat(now).as("time after %s starts", start).isLessThan(3 * TIMING.recoveryNanos());
            String node = start % 2 == 0 ? "b" : "c";
            ClusterRecord record = latest.record();
            Member before = record.member(node);
            ClusterRecord ended = before == null ? record : record.failed(node, before.instance());
            write(ended.join(node));
            for (int beat = 0; beat < TIMING.deadNanos() && latest.record().isGrace(); beat++) {
                now++;
                settle(a, true);
            }
        }
        assertThat(a.isEnforced(now)).isFalse();
    }

    @Test
    void nodeThatWritesTheRecord_writesForThoseThatHaveToldWhatTheyWant() {
        write(latest.record().join("b").join("c").failed("c", 3));
        beats.put("b", new Beat(2, 1, 2, false));
        settle(a, true);
        assertThat(member("a").enforcing()).isEqualTo(2);
        assertThat(member("b").enforcing()).isEqualTo(2);
    }

    @Test
    void whatOthersHaveTold_isLeftToThem_byANodeThatWantsNothing() {
        write(latest.record().join("b"));
        restart("b");
        settle(a, true);
        beats.put("b", new Beat(3, 1, 2, true));
        assertThat(settle(a, true)).isInstanceOf(Membership.Step.Idle.class);
        assertThat(member("b").need()).isTrue();
    }

    @Test
    void signOfAnEarlierInstance_orOfAnotherEpoch_saysNothingOfThisOne() {
        write(latest.record().join("b").join("c").failed("c", 3));
        beats.put("b", new Beat(1, 1, 2, true));
        settle(a, true);
        assertThat(member("b").enforcing()).isEqualTo(1);
        beats.put("b", new Beat(2, 1, 1, true));
        a = new Membership("a", TIMING, latest, now, new Random(1));
        settle(a, true);
        assertThat(member("b").enforcing()).isEqualTo(1);
        assertThat(latest.record().isEnforcedByAll()).isFalse();
    }
}
