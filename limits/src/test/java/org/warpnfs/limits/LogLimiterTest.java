package org.warpnfs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LogLimiterTest {
    private long now;
    private final LogLimiter limiter = new LogLimiter(Duration.ofNanos(100), 3, () -> now);

    private static ClientAddress client(int number) {
        try {
            return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void admit_withinTheInterval_holdsBackAndCounts() {
        assertThat(limiter.admit("a", client(1))).hasValue(0);
        assertThat(limiter.admit("a", client(1))).isEmpty();
        now = 99;
        assertThat(limiter.admit("a", client(1))).isEmpty();
        now = 100;
        assertThat(limiter.admit("a", client(1))).hasValue(2);
        now = 200;
        assertThat(limiter.admit("a", client(1))).hasValue(0);
    }

    @Test
    void admit_otherCauseOrClient_isAnotherLine() {
        assertThat(limiter.admit("a", client(1))).isPresent();
        assertThat(limiter.admit("b", client(1))).isPresent();
        assertThat(limiter.admit("a", client(2))).isPresent();
    }

    @Test
    void admit_moreThanItRemembers_waitUntilTheOldestHasHadItsTime() {
        limiter.admit("a", client(1));
        now = 1;
        limiter.admit("a", client(2));
        limiter.admit("a", client(3));
        assertThat(limiter.admit("a", client(1))).isEmpty();
        assertThat(limiter.admit("a", client(4))).isEmpty();
        assertThat(limiter.admit("a", client(5))).isEmpty();
        assertThat(limiter.admit("a", client(2))).isEmpty();
        now = 100;
        assertThat(limiter.admit("a", client(4)))
                .as("two strangers, and one of the first")
                .hasValue(3);
        assertThat(limiter.admit("a", client(1))).isEmpty();
        now = 101;
        assertThat(limiter.admit("a", client(2))).hasValue(1);
        assertThat(limiter.admit("a", client(1))).hasValue(1);
    }

    /** A client with a network of addresses, or with forged ones, writes no more lines than a client with few. */
    @Test
    void admit_crowd_writesNoMoreThanThereArePlaces() {
        long lines = 0;
        for (int i = 0; i < 250; i++) {
            lines += limiter.admit("a", client(i)).isPresent() ? 1 : 0;
        }
        assertThat(lines).isEqualTo(3);
    }
}
