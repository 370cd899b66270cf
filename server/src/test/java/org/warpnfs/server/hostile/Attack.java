package org.warpnfs.server.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * Hostile peers of one kind.
 *
 * <p>{@link #begin} returns when they have done what they came for: sent all that the server would take, or opened all
 * that it would give. From then on they stay as they are, or go on with it, until {@link #close} ends them.
 */
final class Attack implements AutoCloseable {
    /** What peers of one kind do. */
    interface Worst {
        void begin(Attack attack, Target target, Random random) throws Exception;
    }

    private final Worst worst;
    private final List<Wire> wires = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;

    Attack(Worst worst) {
        this.worst = worst;
    }

    /** Does the worst there is to do. */
    void begin(Target target, Random random) throws Exception {
        worst.begin(this, target, random);
    }

    /** Keeps a connection open until the end. */
    Wire keep(Wire wire) {
        synchronized (wires) {
            wires.add(wire);
        }
        return wire;
    }

    RawIwarp keep(RawIwarp raw) {
        keep(raw.wire());
        return raw;
    }

    boolean over() {
        return over;
    }

    /** A step that is done again and again until the end. */
    interface Step {
        void run() throws Exception;
    }

    /**
     * Repeats a step on threads of its own until the end, and returns when each has been through {@code least} of them.
     */
    void repeat(int count, int least, Step step) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform().name("hostile-" + i).start(() -> {
                for (int n = 0; !over; n++) {
                    if (n == least) {
                        done.countDown();
                    }
                    try {
                        step.run();
                    } catch (java.io.IOException e) {
                        // Refused, or cut off: the server defends itself.
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
                done.countDown();
            }));
        }
        done.await();
    }

    @Override
    public void close() {
        over = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        synchronized (wires) {
            wires.forEach(Wire::close);
            wires.clear();
        }
    }
}
