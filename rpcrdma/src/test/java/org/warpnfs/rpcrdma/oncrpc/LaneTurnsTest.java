package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;

/**
 * Sixteen usual places, 64 additional ones, eight waits that are shared, a patience of ten units of a manual clock, and
 * ten thousand until a task is overdue.
 */
class LaneTurnsTest {
    private static final int USUAL = 16;
    private static final int BEYOND = 64;
    private static final int SHARING = 8;
    private static final long PATIENCE = 10;
    private static final long OVERDUE = 1000 * PATIENCE;

    private final LaneTurns turns = new LaneTurns(USUAL, BEYOND, SHARING, PATIENCE, OVERDUE);

    private record Task(int client) implements LaneTask {
        @Override
        public void run() {}

        @Override
        public void refused() {}
    }

    private static ClientAddress client(int number) {
        try {
            return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void add(int client, int tasks) {
        for (int i = 0; i < tasks; i++) {
            turns.add(client(client), new Task(client));
        }
    }

    /** The clients whose tasks may begin now, in the order of their turns. */
    private List<Integer> beginAll(long now) {
        List<Integer> begun = new ArrayList<>();
        for (LaneTurns.Running task = turns.begin(now); task != null; task = turns.begin(now)) {
            begun.add(((Task) task.task()).client());
        }
        return begun;
    }

    private LaneTurns.Running begin(long now) {
        return Objects.requireNonNull(turns.begin(now));
    }

    @Test
    void one_alone_getsHalf_andTheNextHalfOfWhatIsLeft() {
        for (int client = 1; client <= 6; client++) {
            add(client, 32);
            int expected = List.of(8, 4, 2, 1, 1, 0).get(client - 1);
            assertThat(beginAll(0)).hasSize(expected).allMatch(List.of(client)::contains);
        }
        assertThat(turns.nanosToNextPlace(4)).as("until the first are held").isEqualTo(6);
    }

    @Test
    void two_together_takeTurns_andGetAThirdEach() {
        add(1, 32);
        add(2, 32);
        assertThat(beginAll(0)).containsExactly(1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1);
    }

    /** As long as no task is held, a lane has no more threads than configured, however many clients there are. */
    @Test
    void tasksEndInTime_manyNewcomers_usualPlacesAreAll() {
        for (int client = 0; client < 200; client++) {
            add(client, 1);
        }
        List<Integer> order = new ArrayList<>();
        for (long now = 0; !turns.nobodyWaits(); now += PATIENCE) {
            List<LaneTurns.Running> begun = new ArrayList<>();
            for (LaneTurns.Running task = turns.begin(now); task != null; task = turns.begin(now)) {
                begun.add(task);
                order.add(((Task) task.task()).client());
            }
            assertThat(begun).hasSizeLessThanOrEqualTo(USUAL);
            begun.forEach(turns::ended);
        }
        assertThat(order).hasSize(200).isSorted();
    }

    @Test
    void addressesWithEndlessTasks_upToThoseBeyond_leaveAPlaceForANewcomer() {
        long now = 0;
        for (int hostile = 1; hostile <= BEYOND; hostile++) {
            add(hostile, 32);
            beginAll(now);
            now += PATIENCE;
            beginAll(now);
            add(1000 + hostile, 3);
            for (int call = 0; call < 3; call++) {
                LaneTurns.Running honest = begin(now);
                assertThat(((Task) honest.task()).client())
                        .as("beside %d hostile addresses", hostile)
                        .isEqualTo(1000 + hostile);
                turns.ended(honest);
            }
            assertThat(turns.runningCount()).isGreaterThanOrEqualTo(hostile);
        }
    }

    @Test
    void addressesWithEndlessTasks_farMoreThanThoseBeyond_newcomersWaitAndTakeTurnsAgainOnceSomeEnd() {
        List<LaneTurns.Running> stuck = new ArrayList<>();
        for (int hostile = 0; hostile < 200; hostile++) {
            add(hostile, 1);
        }
        for (long now = 0; now <= 10 * PATIENCE; now += PATIENCE) {
            for (LaneTurns.Running task = turns.begin(now); task != null; task = turns.begin(now)) {
                stuck.add(task);
            }
        }
        assertThat(stuck).hasSize(USUAL + BEYOND);
        assertThat(turns.waitingCount()).isEqualTo(200 - USUAL - BEYOND);
        assertThat(turns.nanosToNextPlace(20 * PATIENCE))
                .as("until the first are overdue")
                .isEqualTo(OVERDUE - 20 * PATIENCE);
        turns.ended(stuck.removeFirst());
        assertThat(((Task) begin(20 * PATIENCE).task()).client()).isEqualTo(USUAL + BEYOND);
    }

    @Test
    void placeBeyond_isOneForEachClient() {
        for (int client = 10; client < 10 + USUAL; client++) {
            add(client, 1);
            begin(0);
        }
        for (int client = 10; client < 10 + USUAL; client++) {
            add(client, 31);
        }
        add(6, 32);
        assertThat(beginAll(PATIENCE - 1)).isEmpty();
        assertThat(turns.nanosToNextPlace(PATIENCE - 1)).isEqualTo(1);
        assertThat(beginAll(PATIENCE)).containsExactly(6);
        assertThat(beginAll(100 * PATIENCE)).isEmpty();
        assertThat(turns.nanosToNextPlace(100 * PATIENCE))
                .as("nobody is a newcomer, so until the first are overdue")
                .isEqualTo(OVERDUE - 100 * PATIENCE);
        assertThat(turns.heldCount(100 * PATIENCE)).isEqualTo(USUAL + 1);
    }

    /** Begins all tasks that may begin. Each of them gives up its place at once, if it may. */
    private List<LaneTurns.Running> beginAllSharing(long now, List<LaneTurns.Running> kept) {
        List<LaneTurns.Running> left = new ArrayList<>();
        for (LaneTurns.Running task = turns.begin(now); task != null; task = turns.begin(now)) {
            (turns.leave(task, now) ? left : kept).add(task);
        }
        return left;
    }

    @Test
    void sharedWaits_ofOneClient_areHalfOfThem_thenTasksKeepTheirPlaces() {
        List<LaneTurns.Running> kept = new ArrayList<>();
        add(1, 64);
        assertThat(beginAllSharing(0, kept)).hasSize(SHARING / 2);
        assertThat(kept).as("as without shared waits").hasSize(USUAL / 2);
        add(2, 64);
        assertThat(beginAllSharing(0, kept)).as("half of the rest").hasSize(SHARING / 4);
        assertThat(kept).hasSize(USUAL / 2 + USUAL / 4);
        assertThat(turns.runningCount()).isEqualTo(SHARING / 2 + SHARING / 4 + USUAL / 2 + USUAL / 4);
        assertThat(turns.sharingCount()).isEqualTo(SHARING / 2 + SHARING / 4);
    }

    @Test
    void sharedWait_ends_taskTakesAPlaceThoughNoneIsFree_andOthersWaitForIt() {
        add(1, 4);
        List<LaneTurns.Running> left = beginAllSharing(0, new ArrayList<>());
        assertThat(left).hasSize(4);
        for (int client = 10; client < 10 + USUAL; client++) {
            add(client, 2);
        }
        assertThat(beginAll(0)).hasSize(USUAL);
        left.forEach(task -> turns.takeAgain(task, 0));
        assertThat(turns.sharingCount()).isZero();
        assertThat(turns.runningCount()).isEqualTo(USUAL + 4);
        assertThat(turns.ready(PATIENCE - 1)).isFalse();
        left.forEach(turns::ended);
        assertThat(turns.runningCount()).isEqualTo(USUAL);
    }

    @Test
    void sharedWait_doesNotEnd_isHeldAndTakesNobodysPlace() {
        for (int client = 1; client <= 100; client++) {
            add(client, 64);
        }
        List<LaneTurns.Running> left = beginAllSharing(0, new ArrayList<>());
        assertThat(left).hasSizeBetween(1, SHARING);
        assertThat(turns.heldCount(PATIENCE - 1)).isZero();
        assertThat(turns.heldCount(PATIENCE)).isEqualTo(left.size() + USUAL);
        assertThat(turns.leave(left.getFirst(), PATIENCE))
                .as("again, while it waits")
                .isFalse();
        assertThat(beginAll(PATIENCE))
                .as("newcomers get additional places, one each")
                .hasSize(USUAL)
                .doesNotHaveDuplicates();
    }

    /** Each address brings as many tasks as it can by shared waits that end, and none of these tasks ends. */
    @Test
    void addressesWithEndlessTasks_thatHaveWaitedTogether_leaveAPlaceForANewcomer() {
        long now = 0;
        for (int hostile = 1; hostile <= BEYOND; hostile++) {
            add(hostile, 32);
            List<LaneTurns.Running> left = beginAllSharing(now, new ArrayList<>());
            now += PATIENCE;
            left.addAll(beginAllSharing(now, new ArrayList<>()));
            for (LaneTurns.Running task : left) {
                turns.takeAgain(task, now);
            }
            add(1000 + hostile, 3);
            for (int call = 0; call < 3; call++) {
                assertThat(turns.ready(now))
                        .as("beside %d hostile addresses", hostile)
                        .isTrue();
                LaneTurns.Running honest = begin(now);
                assertThat(((Task) honest.task()).client()).isEqualTo(1000 + hostile);
                turns.ended(honest);
            }
        }
        assertThat(turns.runningCount()).isLessThanOrEqualTo(USUAL + BEYOND + SHARING);
    }

    @Test
    void sharedWait_ends_taskKeepsItsPartOfThemUntilItEnds() {
        List<LaneTurns.Running> kept = new ArrayList<>();
        add(1, 64);
        List<LaneTurns.Running> left = beginAllSharing(0, kept);
        left.forEach(task -> turns.takeAgain(task, 0));
        kept.forEach(turns::ended);
        kept.clear();
        assertThat(beginAllSharing(0, kept)).as("the client has its part").isEmpty();
        assertThat(kept).as("beside those that returned").hasSize(USUAL / 2 - left.size());

        assertThat(turns.leave(left.getFirst(), 0))
                .as("the same task waits again")
                .isTrue();
        turns.takeAgain(left.getFirst(), 0);
        left.forEach(turns::ended);
        assertThat(beginAllSharing(0, kept)).hasSize(SHARING / 2);
    }

    /** As after an error in {@link org.warpnfs.lanes.SharedWait#begin}, of which nobody tells the end. */
    @Test
    void task_endsWhileItHasNoPlace_leavesNothingBehind() {
        add(1, 1);
        LaneTurns.Running task = begin(0);
        assertThat(turns.leave(task, 0)).isTrue();
        turns.ended(task);
        assertThat(turns.runningCount()).isZero();
        assertThat(turns.heldCount(PATIENCE)).isZero();

        List<LaneTurns.Running> kept = new ArrayList<>();
        add(1, 64);
        assertThat(beginAllSharing(0, kept)).hasSize(SHARING / 2);
        assertThat(kept).hasSize(USUAL / 2);
    }

    /** As when a cluster does not answer: what needs nothing of it goes on, though no task ends. */
    @Test
    void tasksOfOneClient_areOverdue_othersOfItBegin() {
        add(1, 100);
        assertThat(beginAll(0)).hasSize(USUAL / 2);
        assertThat(turns.nanosToNextPlace(1)).isEqualTo(OVERDUE - 1);
        assertThat(beginAll(OVERDUE - 1)).isEmpty();
        assertThat(beginAll(OVERDUE)).as("half of the shared waits").hasSize(SHARING / 2);
        assertThat(turns.runningCount()).isEqualTo(USUAL / 2 + SHARING / 2);
        assertThat(turns.heldCount(OVERDUE)).isEqualTo(USUAL / 2);
        assertThat(beginAll(10 * OVERDUE))
                .as("beyond their part they keep their places")
                .isEmpty();
        assertThat(turns.nanosToNextPlace(10 * OVERDUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void overdueTasks_end_leaveNothingBehind() {
        add(1, 64);
        List<LaneTurns.Running> stuck = new ArrayList<>();
        for (LaneTurns.Running task = turns.begin(0); task != null; task = turns.begin(0)) {
            stuck.add(task);
        }
        LaneTurns.Running next = begin(OVERDUE);
        assertThat(turns.leave(stuck.getFirst(), OVERDUE)).as("it has no place").isFalse();
        stuck.forEach(turns::ended);
        turns.ended(next);
        assertThat(turns.runningCount()).isZero();
        assertThat(turns.sharingCount()).isZero();
        List<LaneTurns.Running> kept = new ArrayList<>();
        assertThat(beginAllSharing(OVERDUE, kept)).hasSize(SHARING / 2);
        assertThat(kept).hasSize(USUAL / 2);
    }

    @Test
    void taskThatHasWaitedTogether_isOverdue_keepsOnePartOfTheWaits() {
        add(1, 64);
        List<LaneTurns.Running> kept = new ArrayList<>();
        List<LaneTurns.Running> left = beginAllSharing(0, kept);
        left.forEach(task -> turns.takeAgain(task, 0));
        assertThat(turns.runningCount()).isEqualTo(SHARING / 2 + USUAL / 2);
        kept.forEach(turns::ended);
        assertThat(beginAll(0)).hasSize(USUAL / 2 - SHARING / 2);
        assertThat(turns.nanosToNextPlace(0)).isEqualTo(OVERDUE);
        assertThat(beginAll(OVERDUE)).as("those that returned have no place").hasSize(SHARING / 2);
        left.forEach(turns::ended);
        assertThat(turns.sharingCount()).isZero();
    }

    @Test
    void overdueTasks_ofManyClients_leaveAPlaceForANewcomer() {
        long now = 0;
        for (int hostile = 1; hostile <= BEYOND; hostile++) {
            add(hostile, 32);
            beginAll(now);
            now += OVERDUE;
            beginAll(now);
            add(1000 + hostile, 1);
            LaneTurns.Running honest = begin(now);
            assertThat(((Task) honest.task()).client())
                    .as("beside %d hostile addresses", hostile)
                    .isEqualTo(1000 + hostile);
            turns.ended(honest);
        }
        assertThat(turns.runningCount()).isLessThanOrEqualTo(USUAL + BEYOND + SHARING);
    }

    @Test
    void waiting_takenAway_isForgotten() {
        add(1, 3);
        turns.removeLast(client(1));
        assertThat(turns.waitingCount()).isEqualTo(2);
        assertThat(turns.takeWaiting()).hasSize(2);
        assertThat(turns.nobodyWaits()).isTrue();
        assertThat(beginAll(0)).isEmpty();
        assertThatThrownBy(() -> turns.removeLast(client(1))).isInstanceOf(IllegalStateException.class);
    }
}
