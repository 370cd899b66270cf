package org.warpnfs.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.limits.ClientAddress;

/** Which clients get memory when there is not enough for all. */
class FairPayloadPoolTest {
    private static final int MIB = 1 << 20;
    private static final int SMALL = 4096;
    private static final ClientAddress HOG = client(1);
    private static final ClientAddress HONEST = client(2);

    private final PayloadPool pool = new PayloadPool(8L * MIB, MIB);
    private final List<String> grants = new ArrayList<>();

    private static ClientAddress client(int number) {
        try {
            return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private List<Payload> asMuchAsItGets(PayloadPool from, ClientAddress client, int lengthBytes) {
        List<Payload> all = new ArrayList<>();
        for (Payload p = from.tryAcquire(client, lengthBytes); p != null; p = from.tryAcquire(client, lengthBytes)) {
            all.add(p);
        }
        return all;
    }

    private PayloadPool.Wait waiting(ClientAddress client, String name, Queue<Payload> taken) {
        return pool.acquire(client, MIB, payload -> {
            grants.add(name);
            taken.add(payload);
        });
    }

    @Test
    void acquire_byOneClientAlone_leavesHalfToOthers() {
        assertThat(asMuchAsItGets(pool, HOG, MIB)).hasSize(4);
        assertThat(pool.lentBytes(HOG)).isEqualTo(4L * MIB);
        assertThat(asMuchAsItGets(pool, HONEST, MIB)).hasSize(2);
        assertThat(asMuchAsItGets(pool, client(3), MIB)).hasSize(1);
        assertThat(asMuchAsItGets(pool, client(4), MIB)).hasSize(1);
        assertThat(pool.tryAcquire(client(5), MIB)).isNull();
    }

    @Test
    void acquire_byAClientThatHoldsNone_isGrantedWhateverIsFree() {
        PayloadPool tiny = new PayloadPool(MIB, MIB);
        assertThat(tiny.tryAcquire(HONEST, MIB)).isNotNull();
    }

    @Test
    void wait_whileAHogWaitsToo_isNextAlthoughItCameLater() {
        List<Payload> held = asMuchAsItGets(pool, HOG, MIB);
        List<Payload> others = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            others.add(p);
        }
        Queue<Payload> taken = new ArrayDeque<>();
        waiting(HOG, "hog", taken);
        waiting(HOG, "hog", taken);
        waiting(HONEST, "honest", taken);
        assertThat(pool.waitingRequests()).isEqualTo(3);
        others.getFirst().release();
        assertThat(grants).containsExactly("honest");
        held.getFirst().release();
        assertThat(grants).containsExactly("honest");
    }

    @Test
    void wait_ofSeveralClients_isGrantedByTurns() {
        List<Payload> all = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            all.add(p);
        }
        Queue<Payload> taken = new ArrayDeque<>();
        for (int i = 0; i < 3; i++) {
            waiting(HOG, "hog", taken);
        }
        for (int i = 0; i < 3; i++) {
            waiting(HONEST, "honest", taken);
        }
        all.forEach(Payload::release);
        assertThat(grants).containsExactly("hog", "honest", "hog", "honest", "hog", "honest");
        taken.forEach(Payload::release);
        assertThat(pool.lentBytes()).isZero();
        assertThat(pool.waits()).isEqualTo(6);
    }

    @Test
    void newcomer_whileSomebodyWaits_doesNotOvertake() {
        List<Payload> all = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            all.add(p);
        }
        Queue<Payload> taken = new ArrayDeque<>();
        waiting(HONEST, "honest", taken);
        assertThat(pool.tryAcquire(client(3), MIB)).isNull();
        all.getFirst().release();
        assertThat(grants).containsExactly("honest");
        assertThat(pool.tryAcquire(client(3), MIB)).isNull();
        assertThat(pool.waitingRequests()).isZero();
    }

    @Test
    void release_oneWaits_runsThatOneAlone() {
        List<Payload> all = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            all.add(p);
        }
        Queue<Payload> taken = new ArrayDeque<>();
        for (int i = 0; i < 100; i++) {
            waiting(client(i), "client" + i, taken);
        }
        all.getFirst().release();
        assertThat(grants).containsExactly("client0");
    }

    @Test
    void cancel_beforeTheGrant_givesTheTurnToTheNext() {
        List<Payload> all = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            all.add(p);
        }
        Queue<Payload> taken = new ArrayDeque<>();
        PayloadPool.Wait first = waiting(HOG, "hog", taken);
        waiting(HONEST, "honest", taken);
        assertThat(first.cancel()).isTrue();
        assertThat(first.cancel()).isFalse();
        all.getFirst().release();
        assertThat(grants).containsExactly("honest");
    }

    @Test
    void cancel_afterTheGrant_saysThatItIsTooLate() {
        Queue<Payload> taken = new ArrayDeque<>();
        assertThat(waiting(HONEST, "honest", taken).cancel()).isFalse();
        assertThat(taken).hasSize(1);
    }

    /** A grant that fails, even with an Error, does not keep the others from being told of their memory. */
    @Test
    void grants_firstFailsByAnError_theOthersAreTold() {
        PayloadPool mixed = new PayloadPool(4L * MIB, MIB);
        List<Payload> all = new ArrayList<>();
        for (Payload p = mixed.tryAcquire(MIB); p != null; p = mixed.tryAcquire(MIB)) {
            all.add(p);
        }
        List<String> order = new ArrayList<>();
        mixed.acquire(HOG, SMALL, _ -> {
            throw new OutOfMemoryError("as if there were no heap left");
        });
        mixed.acquire(HONEST, SMALL, _ -> order.add("honest"));
        mixed.acquire(client(3), SMALL, _ -> order.add("third"));
        assertThat(uncaught(all.getFirst()::release)).hasExactlyElementsOfTypes(OutOfMemoryError.class);
        assertThat(order).containsExactly("honest", "third");
    }

    @Test
    void cancel_ofWhatStandsInTheWay_letsOthersGo() {
        PayloadPool mixed = new PayloadPool(4L * MIB, MIB);
        List<Payload> all = new ArrayList<>();
        for (Payload p = mixed.tryAcquire(MIB); p != null; p = mixed.tryAcquire(MIB)) {
            all.add(p);
        }
        List<String> order = new ArrayList<>();
        PayloadPool.Wait large = mixed.acquire(HOG, MIB, _ -> order.add("large"));
        mixed.acquire(HONEST, SMALL, _ -> order.add("small"));
        assertThat(large.cancel()).isTrue();
        all.getFirst().release();
        assertThat(order).containsExactly("small");
    }

    /**
     * Addresses cost an attacker nothing. So a client that holds nothing and waits for nothing is removed, however it
     * got there.
     */
    @Test
    void clients_thatHoldNothing_areForgotten() {
        for (int i = 0; i < 100; i++) {
            Payload payload = pool.tryAcquire(client(i), SMALL);
            assertThat(payload).isNotNull();
            payload.release();
        }
        List<Payload> all = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            all.add(p);
        }
        assertThat(pool.tryAcquire(client(100), MIB)).isNull();
        Queue<Payload> taken = new ArrayDeque<>();
        PayloadPool.Wait wait = waiting(client(101), "given up", taken);
        waiting(client(102), "granted", taken);
        assertThat(pool.tryAcquire(client(103), MIB))
                .as("behind those who wait")
                .isNull();
        assertThat(pool.clients()).isEqualTo(2);
        assertThat(wait.cancel()).isTrue();
        all.forEach(Payload::release);
        taken.forEach(Payload::release);
        assertThat(grants).containsExactly("granted");
        assertThat(pool.clients()).isZero();
    }

    @Test
    void grant_thatReleasesAtOnce_needsNoDeeperStack() {
        List<Payload> all = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            all.add(p);
        }
        int[] granted = new int[1];
        for (int i = 0; i < 100_000; i++) {
            pool.acquire(HONEST, MIB, payload -> {
                granted[0]++;
                payload.release();
            });
        }
        all.getFirst().release();
        assertThat(granted[0]).isEqualTo(100_000);
    }

    @Test
    void grant_thatThrows_keepsNoOtherFromHearing() {
        List<Payload> all = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            all.add(p);
        }
        pool.acquire(HOG, SMALL, payload -> {
            payload.release();
            throw new IllegalStateException("a defect");
        });
        Queue<Payload> taken = new ArrayDeque<>();
        pool.acquire(HONEST, SMALL, taken::add);
        assertThat(uncaught(all.getFirst()::release)).hasExactlyElementsOfTypes(IllegalStateException.class);
        assertThat(taken).hasSize(1);
    }

    /** The connection that gives memory back has no part in the defect, and has more to give back. */
    @Test
    void grant_thatThrows_doesNotStopTheOneThatGivesBack() {
        List<Payload> all = asMuchAsItGets(pool, HONEST, MIB);
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            assertThat(p.lengthBytes()).isEqualTo(MIB);
        }
        pool.acquire(HOG, MIB, payload -> {
            payload.release();
            throw new IllegalStateException("a defect");
        });
        assertThat(uncaught(() -> all.forEach(Payload::release))).hasSize(1);
        assertThat(pool.lentBytes(HONEST)).isZero();
    }

    /** Whoever cancels has something to do for itself then. */
    @Test
    void grant_thatThrows_doesNotStopTheOneThatCancels() {
        PayloadPool mixed = new PayloadPool(4L * MIB, MIB);
        assertThat(mixed.tryAcquire(MIB)).isNotNull();
        assertThat(mixed.tryAcquire(SMALL)).isNotNull();
        assertThat(mixed.tryAcquire(HOG, MIB)).isNotNull();
        PayloadPool.Wait large = mixed.acquire(HOG, MIB, _ -> {});
        mixed.acquire(HOG, SMALL, payload -> {
            payload.release();
            throw new IllegalStateException("a defect");
        });
        assertThat(mixed.waitingRequests()).isEqualTo(2);
        assertThat(uncaught(() -> assertThat(large.cancel()).isTrue())).hasSize(1);
        assertThat(mixed.waitingRequests()).isZero();
    }

    /** Direct memory that has come back is given first to those who wait. A defect of theirs loses nobody else's. */
    @Test
    void grant_thatThrows_doesNotStopTheOneThatComesLater() {
        for (boolean waits : new boolean[] {false, true}) {
            boolean[] out = {true};
            PayloadPool short_ = new PayloadPool(4L * MIB, MIB, bytes -> {
                if (out[0]) {
                    throw new OutOfMemoryError("direct memory");
                }
                return ByteBuffer.allocateDirect(bytes);
            });
            short_.acquire(HOG, MIB, payload -> {
                payload.release();
                throw new IllegalStateException("a defect");
            });
            assertThat(short_.waitingRequests()).isEqualTo(1);
            out[0] = false;
            Queue<Payload> taken = new ArrayDeque<>();
            assertThat(uncaught(() -> {
                        if (waits) {
                            short_.acquire(HONEST, MIB, taken::add);
                        } else {
                            taken.add(Objects.requireNonNull(short_.tryAcquire(HONEST, MIB)));
                        }
                    }))
                    .hasSize(1);
            assertThat(taken).hasSize(1);
            assertThat(short_.lentBytes()).isEqualTo(MIB);
        }
    }

    /** What the thread is told of exceptions that nobody caught. */
    private static List<Throwable> uncaught(Runnable step) {
        List<Throwable> all = new ArrayList<>();
        Thread thread = Thread.currentThread();
        thread.setUncaughtExceptionHandler((_, why) -> all.add(why));
        try {
            step.run();
        } finally {
            thread.setUncaughtExceptionHandler(null);
        }
        return all;
    }

    @Test
    void smallBuffers_allThatOneClientCanHave_leaveSomeOfTheirClass() {
        PayloadPool large = new PayloadPool(64L * MIB, MIB);
        int capacity = 16 * (MIB / SMALL);
        assertThat(asMuchAsItGets(large, HOG, SMALL)).hasSize(capacity / 2);
        assertThat(asMuchAsItGets(large, HONEST, SMALL)).hasSize(capacity / 4);
        assertThat(asMuchAsItGets(large, client(3), 4 * SMALL)).isNotEmpty();
    }

    @Test
    void smallBuffers_oneLeftInEachSlab_doNotKeepLargeOnesAway() {
        List<Payload> small = asMuchAsItGets(pool, HOG, SMALL);
        Map<Integer, Payload> scattered = new HashMap<>();
        for (int i = 0; i < small.size(); i++) {
            if (i % (MIB / SMALL) == 0) {
                scattered.put(i, small.get(i));
            } else {
                small.get(i).release();
            }
        }
        assertThat(scattered).isNotEmpty();
        assertThat(asMuchAsItGets(pool, HONEST, MIB)).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void smallBuffers_waitingBecauseTheirClassIsFull_doNotKeepLargeOnesAway() {
        for (Payload p = pool.tryAcquire(SMALL); p != null; p = pool.tryAcquire(SMALL)) {
            assertThat(p.lengthBytes()).isEqualTo(SMALL);
        }
        pool.acquire(client(3), SMALL, _ -> {});
        pool.acquire(client(4), SMALL, _ -> {});
        assertThat(pool.waitingRequests()).isEqualTo(2);
        Queue<Payload> taken = new ArrayDeque<>();
        waiting(HONEST, "honest", taken);
        assertThat(grants).containsExactly("honest");
    }

    @Test
    void directMemory_usedUp_isARefusalAndCountsNothing() {
        boolean[] out = {true};
        PayloadPool short_ = new PayloadPool(4L * MIB, MIB, bytes -> {
            if (out[0]) {
                throw new OutOfMemoryError("direct memory");
            }
            return ByteBuffer.allocateDirect(bytes);
        });
        assertThat(short_.tryAcquire(HONEST, MIB)).isNull();
        assertThat(short_.lentBytes()).isZero();
        assertThat(short_.failedAllocations()).isEqualTo(1);
        out[0] = false;
        Payload payload = short_.tryAcquire(HONEST, MIB);
        assertThat(payload).isNotNull();
        assertThat(short_.lentBytes()).isEqualTo(MIB);
    }

    @Test
    void burstOfSmallBuffers_over_leavesRoomForLargeOnesAndAllocatesNoMore() {
        asMuchAsItGets(pool, HOG, SMALL).forEach(Payload::release);
        List<Payload> large = new ArrayList<>();
        for (Payload p = pool.tryAcquire(MIB); p != null; p = pool.tryAcquire(MIB)) {
            large.add(p);
        }
        assertThat(large).hasSize(8);
        assertThat(pool.allocatedBytes()).isEqualTo(pool.reservedBytes());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void anyHistory_eachStep_keepsTheBudgetAndGrantsEverything(long seed) {
        Random random = new Random(seed);
        Map<Long, Payload> held = new HashMap<>();
        List<Long> ids = new ArrayList<>();
        long[] next = {0};
        List<PayloadPool.Wait> waits = new ArrayList<>();
        int cancelled = 0;
        int asked = 0;
        for (int step = 0; step < 20_000; step++) {
            int length = SMALL << (2 * random.nextInt(5));
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    asked++;
                    waits.add(pool.acquire(client(random.nextInt(6)), Math.min(length, MIB), payload -> {
                        held.put(next[0], payload);
                        ids.add(next[0]++);
                    }));
                }
                case 2, 3 -> {
                    if (!ids.isEmpty()) {
                        Objects.requireNonNull(held.remove(ids.remove(random.nextInt(ids.size()))))
                                .release();
                    }
                }
                default -> {
                    if (!waits.isEmpty()
                            && waits.remove(random.nextInt(waits.size())).cancel()) {
                        cancelled++;
                    }
                }
            }
            assertThat(pool.lentBytes()).isBetween(0L, 8L * MIB);
        }
        while (!ids.isEmpty()) {
            Objects.requireNonNull(held.remove(ids.removeLast())).release();
        }
        assertThat(pool.waitingRequests()).isZero();
        assertThat(pool.lentBytes()).isZero();
        assertThat(next[0] + cancelled).isEqualTo(asked);
    }
}
