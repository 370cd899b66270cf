package org.warpnfs.rpcrdma.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.Seeds;

class CreditLedgerTest {
    @Test
    void anyHistory_grant_isWithinOneAndTheBuffers() {
        Seeds.each(200, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            CreditLedger ledger = new CreditLedger(random.nextInt(1, 10), 20, 0);
            int inFlight = 0;
            for (int i = 0; i < 300; i++) {
                if (random.nextBoolean()) {
                    boolean taken = ledger.callReceived();
                    assertThat(taken).isEqualTo(inFlight < ledger.buffers());
                    inFlight += taken ? 1 : 0;
                } else if (inFlight > 0) {
                    ledger.callEnded();
                    inFlight--;
                    long wanted = random.nextLong() >>> random.nextInt(32, 64);
                    int more = ledger.wantsMore(wanted);
                    assertThat(ledger.buffers() + more).isLessThanOrEqualTo(20);
                    ledger.grow(random.nextInt(more + 1));
                    boolean strained = random.nextBoolean();
                    int grant = ledger.grant(wanted, strained, 0);
                    assertThat(grant).isBetween(1, ledger.buffers()).isEqualTo(ledger.granted());
                    if (strained) {
                        assertThat(grant).isLessThanOrEqualTo(Math.max(1, inFlight));
                    }
                }
                assertThat(ledger.inFlight()).isEqualTo(inFlight);
            }
        });
    }

    @Test
    void idle_wantsMore_isNothing() {
        CreditLedger ledger = new CreditLedger(4, 100, 0);
        assertThat(ledger.wantsMore(100)).isZero();
    }

    @Test
    void busy_wantsMore_isWhatTheRequesterWantsUpToTheLimit() {
        CreditLedger ledger = new CreditLedger(4, 100, 0);
        for (int i = 0; i < 3; i++) {
            ledger.callReceived();
        }
        assertThat(ledger.wantsMore(0)).isZero();
        assertThat(ledger.wantsMore(10)).isEqualTo(6);
        assertThat(ledger.wantsMore(0xffffffffL)).isEqualTo(96);
    }

    /**
     * RFC 5666, sections 3.8 and 11: each RDMA_DONE that is owed uses a credit, and together they never use up the
     * grant.
     */
    @Test
    void donesOwed_grant_leavesRoomForThemAndOneCall() {
        CreditLedger ledger = new CreditLedger(2, 2, 4);
        for (int owed = 0; owed <= 4; owed++) {
            assertThat(ledger.grant(0, true, owed)).isEqualTo(owed + 1);
            assertThat(ledger.grant(100, false, owed)).isEqualTo(Math.max(2, owed + 1));
        }
        for (int i = 0; i < 6; i++) {
            assertThat(ledger.callReceived()).isTrue();
        }
        assertThat(ledger.callReceived()).as("beyond every receive buffer").isFalse();
    }

    @Test
    void nothingInFlight_callEnded_isABug() {
        assertThatThrownBy(() -> new CreditLedger(1, 1, 0).callEnded()).isInstanceOf(IllegalStateException.class);
    }
}
