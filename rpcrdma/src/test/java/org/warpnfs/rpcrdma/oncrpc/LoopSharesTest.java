package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.oncrpc.LoopShares.WINDOW_NANOS;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;

/** Who may use an event loop for its calls. */
class LoopSharesTest {
    private static final long BEGIN = 1_000_000_000L;
    private static final ClientAddress ALICE = client(1);
    private static final ClientAddress BOB = client(2);
    private static final ClientAddress CAROL = client(3);

    private final LoopShares shares = new LoopShares();

    private static ClientAddress client(int number) {
        try {
            return ClientAddress.of(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}), 1000));
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void client_thatIsAlone_usesTheWholeLoop() {
        assertThat(shares.arrived(ALICE, BEGIN)).isTrue();
        shares.ran(ALICE, WINDOW_NANOS - 1);
        assertThat(shares.arrived(ALICE, BEGIN + WINDOW_NANOS - 1)).isTrue();
    }

    @Test
    void client_thatHasUsedMoreThanItsShare_waitsForTheNextWindow() {
        shares.arrived(ALICE, BEGIN);
        shares.arrived(BOB, BEGIN);
        shares.ran(ALICE, WINDOW_NANOS / 2 - 1);
        assertThat(shares.arrived(ALICE, BEGIN))
                .as("half of the window is anyone's")
                .isTrue();
        shares.ran(ALICE, 1);
        assertThat(shares.arrived(ALICE, BEGIN)).isFalse();
        assertThat(shares.arrived(BOB, BEGIN)).isTrue();
        assertThat(shares.arrived(ALICE, BEGIN + WINDOW_NANOS)).isTrue();
    }

    @Test
    void client_ofTheWindowBefore_keepsItsShare() {
        shares.arrived(ALICE, BEGIN);
        shares.arrived(BOB, BEGIN);
        shares.arrived(CAROL, BEGIN);
        shares.arrived(ALICE, BEGIN + WINDOW_NANOS);
        shares.ran(ALICE, WINDOW_NANOS / 2);
        assertThat(shares.arrived(ALICE, BEGIN + WINDOW_NANOS + 1)).isFalse();
        assertThat(shares.arrived(BOB, BEGIN + WINDOW_NANOS + 1)).isTrue();
        shares.ran(BOB, WINDOW_NANOS / 3);
        assertThat(shares.arrived(BOB, BEGIN + WINDOW_NANOS + 1)).isFalse();
    }

    @Test
    void client_thatIsTheOnlyOneAgain_usesTheWholeLoop() {
        shares.arrived(ALICE, BEGIN);
        shares.arrived(BOB, BEGIN);
        long later = BEGIN + 2 * WINDOW_NANOS;
        shares.arrived(ALICE, later);
        shares.ran(ALICE, WINDOW_NANOS - 1);
        assertThat(shares.arrived(ALICE, later + WINDOW_NANOS - 1)).isTrue();
    }
}
