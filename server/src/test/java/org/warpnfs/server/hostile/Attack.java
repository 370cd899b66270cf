package org.warpnfs.server.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * An attack by hostile peers of one kind.
 *
 * <p>{@link #begin} returns when the peers have sent all that the server accepts, or opened all the connections that it
 * allows. From then on they keep their connections, or go on with the attack, until {@link #close} ends them.
 */
final class Attack implements AutoCloseable {
    /** The behaviour of peers of one kind. */
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

    /** Begins the attack. */
    void begin(Target target, Random random) throws Exception {
        worst.begin(this, target, random);
    }

    /** Keeps a connection open until the end of the attack. */
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

    /** A step that an attack repeats until its end. */
    interface Step {
        void run() throws Exception;
    }

    /**
     * Repeats a step on {@code count} threads until the end of the attack. Returns when each thread has done it
     * {@code least} times.
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
                        // The server refused or ended the connection, as it may.
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
