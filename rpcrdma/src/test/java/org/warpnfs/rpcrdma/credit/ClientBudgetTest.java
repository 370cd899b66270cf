package org.warpnfs.rpcrdma.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;

class ClientBudgetTest {
    private static final ClientAddress A = ClientAddress.of(new InetSocketAddress("192.0.2.1", 1));
    private static final ClientAddress B = ClientAddress.of(new InetSocketAddress("192.0.2.2", 1));
    private static final ClientAddress C = ClientAddress.of(new InetSocketAddress("192.0.2.3", 1));

    private final ClientBudget budget = new ClientBudget(10, 6);

    @Test
    void taken_atBothLimits_isRefusedBeyond() {
        assertThat(budget.tryTake(A, 6)).isTrue();
        assertThat(budget.tryTake(A, 1)).as("one client").isFalse();
        assertThat(budget.exhausted(A)).isTrue();
        assertThat(budget.take(B, 6)).as("in all").isEqualTo(4);
        assertThat(budget.tryTake(C, 1)).isFalse();
        assertThat(budget.exhausted(C)).isFalse();
        budget.give(A, 1);
        assertThat(budget.tryTake(C, 1)).isTrue();
        assertThat(budget.heldBy(A)).isEqualTo(5);
        assertThat(budget.left()).isZero();
    }

    /** Four clients at a quarter each would leave nothing to a fifth. */
    @Test
    void manyClients_takeAllTheyCanGet_newcomersAlwaysFindSome() throws Exception {
        ClientBudget large = ClientBudget.leavingSome(1000, 250);
        for (int n = 1; n <= 20; n++) {
            ClientAddress client = ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) n}));
            int taken = 0;
            while (taken < 1000 && large.tryTake(client, 1)) {
                taken++;
            }
            if (n <= 8) {
                assertThat(taken).as("client %s", n).isPositive();
                assertThat(large.left()).as("left by %s clients", n).isPositive();
                assertThat(large.exhausted(client)).isTrue();
            }
        }
    }

    @Test
    void given_all_nobodyIsRemembered() {
        assertThat(budget.take(A, 3)).isEqualTo(3);
        budget.give(A, 3);
        assertThat(budget.heldBy(A)).isZero();
        assertThat(budget.left()).isEqualTo(10);
        assertThatThrownBy(() -> budget.give(A, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void given_something_thoseWhoWaitHaveItInTheirOrder() {
        List<String> told = new ArrayList<>();
        budget.take(A, 6);
        budget.take(B, 4);
        assertThat(budget.takeOrWait(A, 2, () -> told.add("A first"))).isNotNull();
        assertThat(budget.takeOrWait(A, 1, () -> told.add("A second"))).isNotNull();
        assertThat(budget.takeOrWait(B, 1, () -> told.add("B"))).isNotNull();
        budget.give(A, 1);
        assertThat(told).as("what is too little for the first of A").containsExactly("B");
        budget.give(A, 1);
        assertThat(told).hasSize(1);
        assertThat(budget.takeOrWait(A, 1, () -> told.add("A third")))
                .as("behind those who wait")
                .isNotNull();
        budget.give(B, 2);
        assertThat(told).containsExactly("B", "A first");
        budget.give(A, 2);
        assertThat(told).containsExactly("B", "A first", "A second", "A third");
        assertThat(budget.heldBy(A)).isEqualTo(6);
        assertThat(budget.heldBy(B)).isEqualTo(3);
        assertThat(budget.left()).isEqualTo(1);
    }

    @Test
    void waiting_givenUp_takesNothing_andTheNextHasItsTurn() {
        List<String> told = new ArrayList<>();
        budget.take(A, 5);
        ClientBudget.Request large = budget.takeOrWait(A, 6, () -> told.add("large"));
        budget.takeOrWait(A, 1, () -> told.add("small"));
        assertThat(told).isEmpty();
        assertThat(budget.cancel(large)).isTrue();
        assertThat(budget.cancel(large)).isFalse();
        assertThat(told).containsExactly("small");
        budget.give(A, 6);
        assertThat(told).hasSize(1);
        assertThat(budget.left()).isEqualTo(10);
    }

    /** Otherwise clients with small requests could take by turns what is given back, and the large one had nothing. */
    @Test
    void largeRequest_ofAClientThatHoldsNothing_isNotOvertakenByOthers() {
        List<String> told = new ArrayList<>();
        ClientBudget shared = ClientBudget.leavingSome(10, 10);
        assertThat(shared.take(A, 5)).isEqualTo(5);
        assertThat(shared.takeOrWait(B, 8, () -> told.add("large"))).isNotNull();
        for (int i = 0; i < 5; i++) {
            shared.give(A, 1);
            assertThat(shared.takeOrWait(C, 1, () -> told.add("small"))).isNotNull();
            assertThat(shared.tryTake(C, 1)).isFalse();
            assertThat(shared.take(C, 1)).isZero();
        }
        assertThat(told).as("what A has given back").containsExactly("large", "small");
        assertThat(shared.heldBy(B)).isEqualTo(8);
        shared.give(B, 8);
        assertThat(told).containsExactly("large", "small", "small", "small", "small", "small");
        assertThat(shared.heldBy(C)).isEqualTo(5);
    }

    /** One that waits for what its own client holds would keep all others waiting for that client's replies. */
    @Test
    void largeRequest_ofAClientThatHoldsSomething_isOvertakenByOthers() {
        ClientBudget shared = ClientBudget.leavingSome(10, 10);
        assertThat(shared.take(A, 5)).isEqualTo(5);
        assertThat(shared.takeOrWait(A, 1, () -> {})).isNotNull();
        assertThat(shared.takeOrWait(B, 2, () -> {})).isNull();
        assertThat(shared.heldBy(B)).isEqualTo(2);
    }

    @Test
    void largeRequest_isWithdrawn_thoseBehindItHaveTheirTurn() {
        List<String> told = new ArrayList<>();
        ClientBudget shared = ClientBudget.leavingSome(10, 10);
        shared.take(A, 5);
        ClientBudget.Request large = shared.takeOrWait(B, 8, () -> told.add("large"));
        shared.takeOrWait(C, 1, () -> told.add("small"));
        assertThat(told).isEmpty();
        assertThat(shared.cancel(large)).isTrue();
        assertThat(told).containsExactly("small");
        assertThat(shared.tryTake(B, 1)).isTrue();
    }

    /** A client with many requests does not keep one with a single request behind all of them. */
    @Test
    void clients_thatWait_takeTurns() {
        List<String> told = new ArrayList<>();
        ClientBudget one = new ClientBudget(1, 1);
        one.take(C, 1);
        for (int i = 0; i < 3; i++) {
            one.takeOrWait(A, 1, () -> told.add("A"));
        }
        one.takeOrWait(B, 1, () -> told.add("B"));
        one.give(C, 1);
        one.give(A, 1);
        assertThat(told).containsExactly("A", "B");
    }

    @Test
    void grant_hasADefect_othersAreTold() {
        List<String> told = new ArrayList<>();
        budget.take(A, 6);
        budget.take(B, 4);
        budget.takeOrWait(A, 1, () -> {
            throw new IllegalStateException("a defect of the first");
        });
        budget.takeOrWait(B, 1, () -> told.add("B"));
        assertThatThrownBy(() -> budget.give(A, 2)).isInstanceOf(IllegalStateException.class);
        assertThat(told).containsExactly("B");
    }
}
