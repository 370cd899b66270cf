package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;

/** Which connections get a place, and which lose one. */
class AdmissionTest {
    private static final long IDLE_NANOS =
            TimeUnit.MILLISECONDS.toNanos(IwarpConfig.defaults().evictableIdleMillis());

    private final List<String> evicted = new ArrayList<>();
    private long now = -5;

    private Admission admission(int connections, int halfOpen) {
        return new Admission(
                IwarpConfig.builder()
                        .maxConnections(connections)
                        .maxHalfOpenConnections(halfOpen)
                        .maxConnectionsPerAddress(connections)
                        .maxHalfOpenPerAddress(halfOpen)
                        .build(),
                () -> now);
    }

    private static ClientAddress client(int number) {
        return ClientAddress.of(InetAddress.ofLiteral("10.0.0." + number));
    }

    private Admission.Place admit(Admission admission, ClientAddress client, String name) {
        return admission.admit(client, () -> evicted.add(name));
    }

    private Admission.Place busy(Admission admission, ClientAddress client, String name) {
        Admission.Place place = admit(admission, client, name);
        if (place != null) {
            place.established();
            place.idle(false);
        }
        return place;
    }

    private Admission.Place idle(Admission admission, ClientAddress client, String name) {
        Admission.Place place = busy(admission, client, name);
        place.idle(true);
        return place;
    }

    private int fill(Admission admission, ClientAddress client, boolean halfOpen) {
        int count = 0;
        while (count < 10_000
                && (halfOpen ? admit(admission, client, "silent") : busy(admission, client, "busy")) != null) {
            count++;
        }
        return count;
    }

    @Test
    void fourClients_takeAllTheyCan_othersStillGetIn() {
        for (boolean halfOpen : new boolean[] {false, true}) {
            Admission admission = new Admission(IwarpConfig.defaults(), () -> now);
            for (int client = 1; client <= 4; client++) {
                assertThat(fill(admission, client(client), halfOpen)).isBetween(1, 600);
            }
            assertThat(admission.refused()).isEqualTo(4);
            for (int client = 5; client <= 40; client++) {
                assertThat(busy(admission, client(client), "honest")).isNotNull();
            }
            assertThat(evicted).isEmpty();
        }
    }

    @Test
    void addressesOfOneNetwork_areOneClient() {
        Admission admission = admission(100, 100);
        ClientAddress network = ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:2::1"));
        int count = fill(admission, network, false);
        assertThat(count).isBetween(40, 60);
        assertThat(busy(admission, ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:2:ffff::7")), "same"))
                .isNull();
        assertThat(busy(admission, ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:3::1")), "other"))
                .isNotNull();
    }

    @Test
    void full_newcomer_getsThePlaceOfTheLongestIdleOfWhoHasMost() {
        Admission admission = admission(5, 5);
        idle(admission, client(9), "9 alone, idle for longest");
        now += 1;
        idle(admission, client(1), "1 used lately").used();
        Admission.Place oldest = idle(admission, client(1), "1 idle");
        Admission.Place last = idle(admission, client(2), "2 idle");
        admit(admission, client(3), "3 half open").established();
        now += IDLE_NANOS / 2;
        last.used();
        oldest.idle(true);
        now += IDLE_NANOS;
        assertThat(admit(admission, client(4), "4")).isNotNull();
        assertThat(evicted).hasSize(1).first().asString().startsWith("1 ");
        assertThat(admission.connections()).isEqualTo(5);
        assertThat(admission.evicted()).isEqualTo(1);
        assertThat(admission.refused()).isZero();
    }

    @Test
    void full_nobodyIdleForLongEnough_newcomerIsRefused() {
        Admission admission = admission(3, 3);
        busy(admission, client(1), "busy");
        idle(admission, client(2), "not for long");
        now += IDLE_NANOS - 1;
        idle(admission, client(3), "newer");
        assertThat(admit(admission, client(4), "4")).isNull();
        assertThat(admission.refused()).isEqualTo(1);
        now++;
        assertThat(admit(admission, client(4), "4")).isNotNull();
        assertThat(evicted).containsExactly("not for long");
    }

    @Test
    void full_clientWithMore_takesNoPlaceOfOneWithFewer() {
        Admission admission = admission(4, 4);
        idle(admission, client(1), "alone");
        busy(admission, client(2), "2");
        busy(admission, client(2), "2");
        busy(admission, client(3), "3");
        now += 10 * IDLE_NANOS;
        assertThat(admit(admission, client(2), "2")).isNull();
        assertThat(admit(admission, client(3), "3")).isNull();
        assertThat(evicted).isEmpty();
    }

    @Test
    void ownLimitReached_clientLosesItsOwnIdleOne() {
        Admission admission =
                new Admission(IwarpConfig.builder().maxConnectionsPerAddress(2).build(), () -> now);
        idle(admission, client(1), "idle");
        busy(admission, client(1), "busy");
        idle(admission, client(2), "of another");
        assertThat(admit(admission, client(1), "new")).isNull();
        now += IDLE_NANOS;
        assertThat(busy(admission, client(1), "new")).isNotNull();
        assertThat(evicted).containsExactly("idle");
        assertThat(admit(admission, client(1), "more")).isNull();
    }

    @Test
    void halfOpenFull_newcomer_getsThePlaceOfTheOldestOfWhoHasMost() {
        Admission admission = admission(100, 4);
        admit(admission, client(9), "alone and oldest");
        now++;
        admit(admission, client(1), "1 first");
        now++;
        admit(admission, client(1), "1 second");
        admit(admission, client(2), "2");
        assertThat(admit(admission, client(3), "3")).isNotNull();
        assertThat(evicted).containsExactly("1 first");
        assertThat(admission.halfOpen()).isEqualTo(4);
        // Each client has one place now, so the oldest is evicted.
        assertThat(admit(admission, client(4), "4")).isNotNull();
        assertThat(evicted).containsExactly("1 first", "alone and oldest");
    }

    @Test
    void evicted_leavesOnceMore_isCountedOnce() {
        Admission admission = admission(1, 1);
        Admission.Place first = idle(admission, client(1), "first");
        now += IDLE_NANOS;
        Admission.Place second = admit(admission, client(2), "second");
        assertThat(admission.connections()).isEqualTo(1);
        first.leave();
        first.established();
        assertThat(admission.connections()).isEqualTo(1);
        assertThat(admission.halfOpen()).isEqualTo(1);
        second.leave();
        second.leave();
        assertThat(admission.connections()).isZero();
        assertThat(admission.halfOpen()).isZero();
    }
}
