package org.warpnfs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateWatchTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MUCH = 1 << 20;
    private static final int NEVER = -1;

    /** 10 seconds of grace, 100 bytes a second. */
    private final RateWatch watch = new RateWatch(Duration.ofSeconds(10), 100, LineSharers.Line.ALONE);

    private final LineSharers sharers = new LineSharers();

    private boolean behind(long owedBytes, long doneBytes, long nowNanos) {
        return watch.behind(new RateWatch.Progress(owedBytes, doneBytes, 0), nowNanos);
    }

    /** Checks once a second a peer that always owes many bytes, and returns the second in which it was behind. */
    private int behindAfter(int seconds, LongUnaryOperator doneBytes) {
        for (int second = 0; second <= seconds; second++) {
            if (behind(MUCH, doneBytes.applyAsLong(second), second * SECOND)) {
                return second;
            }
        }
        return NEVER;
    }

    @Test
    void fewBytes_notDone_areLateAfterTheGraceAndTheirTime() {
        assertThat(behind(200, 0, 5 * SECOND)).isFalse();
        assertThat(behind(200, 0, 17 * SECOND)).isFalse();
        assertThat(behind(200, 0, 17 * SECOND + 1)).isTrue();
    }

    @Test
    void muchOwed_nothingDone_isLateAfterTwiceTheGrace() {
        assertThat(behindAfter(100, _ -> 0)).isEqualTo(21);
    }

    @Test
    void aByteNowAndThen_isNoProgress() {
        assertThat(behindAfter(100, second -> second)).isEqualTo(21);
    }

    @Test
    void theLeastRate_forEver_isEnough() {
        assertThat(behindAfter(10_000, second -> 100 * second)).isEqualTo(NEVER);
    }

    @Test
    void halfTheRate_isLateInTheEnd() {
        assertThat(behindAfter(100, second -> 50 * second)).isEqualTo(41);
    }

    /** Speed is not saved up: a pause after fast progress may be no longer than any other. */
    @Test
    void fastAtFirst_thenNothing_isLateAllTheSame() {
        assertThat(behind(MUCH, 0, 0)).isFalse();
        assertThat(behind(MUCH, 1L << 60, SECOND)).isFalse();
        assertThat(behind(MUCH, 1L << 60, 21 * SECOND)).isFalse();
        assertThat(behind(MUCH, 1L << 60, 21 * SECOND + 1)).isTrue();
    }

    @Test
    void nothingOwed_everBegins() {
        assertThat(behind(1, 0, 0)).isFalse();
        assertThat(behind(0, 1, 5 * SECOND)).isFalse();
        assertThat(behind(1, 1, 100 * SECOND)).as("a new wait").isFalse();
        assertThat(behind(1, 1, 111 * SECOND)).isTrue();
    }

    /** One small item after the other, on a line with long round trips. Each is in time. */
    @Test
    void allThatWasOwed_isDoneBetweenLooks_isInTimeForEver() {
        for (long second = 0; second < 1000; second += 8) {
            assertThat(behind(40, second / 8 * 40, second * SECOND)).isFalse();
        }
    }

    @Test
    void anotherEpisode_betweenLooks_hasTheWholeGrace() {
        for (long second = 0; second < 1000; second += 5) {
            assertThat(watch.behind(new RateWatch.Progress(MUCH, 0, second), second * SECOND))
                    .isFalse();
        }
    }

    @Test
    void hurried_waitsForTheShorterGraceFromTheNextLookOn() {
        assertThat(behind(MUCH, 0, 0)).isFalse();
        watch.hurry(Duration.ofSeconds(2));
        assertThat(behind(MUCH, 0, SECOND)).isFalse();
        watch.hurry(Duration.ofSeconds(2));
        assertThat(behind(MUCH, 0, 5 * SECOND)).isFalse();
        assertThat(behind(MUCH, 0, 5 * SECOND + 1)).isTrue();
    }

    // Connections that share a line, with the limits of the server: 30 seconds, 32 KiB a second.

    private static final long LEAST = 32 << 10;
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** Progress shows in steps of a MiB, because an RDMA Read completes as a whole. */
    private static final long PIECE = 1 << 20;

    private static ClientAddress client(int last) {
        try {
            return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private List<RateWatch> connections(ClientAddress client, int count) {
        return Stream.generate(() -> new RateWatch(GRACE, LEAST, sharers.of(client)))
                .limit(count)
                .toList();
    }

    private static boolean behind(RateWatch connection, long bytesPerSecond, long second, long piece) {
        long done = second * bytesPerSecond / piece * piece;
        return connection.behind(new RateWatch.Progress(4 * PIECE, done, 0), second * SECOND);
    }

    /** A line of 512 kbit/s, less the share of headers. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 16})
    void slowLine_usedToTheFullByManyConnections_isInTimeForHours(int count) {
        List<RateWatch> connections = connections(client(1), count);
        for (long second = 0; second <= 4 * 3600; second++) {
            for (RateWatch each : connections) {
                assertThat(behind(each, (62 << 10) / count, second, PIECE))
                        .as("second %s", second)
                        .isFalse();
            }
        }
    }

    @Test
    void slowLine_othersJoinLater_whoWasThereHasTimeForItsPiece() {
        RateWatch early = connections(client(1), 1).getFirst();
        List<RateWatch> late = connections(client(1), 15);
        assertThat(behind(early, 0, 0, 1)).isFalse();
        for (long second = 5; second < 300; second++) {
            for (RateWatch each : late) {
                assertThat(behind(each, 4 << 10, second, PIECE)).isFalse();
            }
            // The first MiB comes after 256 seconds.
            assertThat(behind(early, 0, second, 1)).isFalse();
        }
    }

    @Test
    void lineOfHalfTheLeastRate_manyConnections_areLate() {
        List<RateWatch> connections = connections(client(1), 16);
        int late = 0;
        for (long second = 0; second <= 3600 && late == 0; second++) {
            for (RateWatch each : connections) {
                late += behind(each, (16 << 10) / 16, second, 1) ? 1 : 0;
            }
        }
        assertThat(late).isPositive();
    }

    /**
     * Connections that owe bytes for ever and move a byte a second, while another connection of the same client moves
     * as fast as it likes.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 15, 255})
    void stuckConnections_besideOneThatMoves_areAllLateInTime(int count) {
        RateWatch healthy = connections(client(1), 1).getFirst();
        List<RateWatch> stuck = new ArrayList<>(connections(client(1), count));
        long limit = 30 + 30L * Math.min(count + 1, LineSharers.MOST) + 1;
        for (long second = 0; second <= limit; second++) {
            assertThat(behind(healthy, 10 * PIECE, second, 1)).isFalse();
            long now = second;
            stuck.removeIf(each -> {
                boolean late = behind(each, 1, now, 1);
                if (late) {
                    each.close();
                }
                return late;
            });
        }
        assertThat(stuck).isEmpty();
    }

    @Test
    void connectionsOfAnother_shareNoLine() {
        for (RateWatch other : connections(client(2), 16)) {
            assertThat(behind(other, 0, 0, 1)).isFalse();
        }
        RateWatch alone = connections(client(1), 1).getFirst();
        assertThat(behind(alone, 0, 0, 1)).isFalse();
        assertThat(behind(alone, 0, 60, 1)).isFalse();
        assertThat(behind(alone, 0, 61, 1)).isTrue();
    }

    @Test
    void connectionsEnd_orOweNothing_noLineIsRemembered() {
        List<RateWatch> connections = connections(client(1), 3);
        connections.forEach(each -> behind(each, 0, 0, 1));
        assertThat(sharers.of(client(1)).sharers()).isEqualTo(3);
        connections.get(0).close();
        connections.get(0).close();
        assertThat(sharers.of(client(1)).sharers()).isEqualTo(2);
        connections.get(1).behind(new RateWatch.Progress(0, 0, 0), SECOND);
        connections.get(2).hurry(Duration.ofSeconds(1));
        assertThat(sharers.clientCount()).isZero();
    }
}
