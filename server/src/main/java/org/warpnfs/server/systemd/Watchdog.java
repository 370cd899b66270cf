package org.warpnfs.server.systemd;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends keep-alive notifications to the service manager while the server answers, three in each watchdog interval. If
 * the server does not answer, the log says why, and the service manager restarts it in the end.
 *
 * <p>Uses a daemon thread of its own. Safe for any thread.
 */
public final class Watchdog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
    private static final int SIGNS_IN_AN_INTERVAL = 3;

    private final CountDownLatch closed = new CountDownLatch(1);

    private Watchdog() {}

    /**
     * Starts the watchdog if the service manager has one.
     *
     * @param check returns if the server answers, and throws otherwise; must end within the given time
     */
    public static Watchdog start(ServiceManager manager, Check check) {
        Watchdog watchdog = new Watchdog();
        Duration interval = manager.watchdog();
        if (interval != null) {
            Duration between = interval.dividedBy(SIGNS_IN_AN_INTERVAL);
            Thread.ofPlatform().daemon().name("warpnfs-watchdog").start(() -> watchdog.run(manager, check, between));
        }
        return watchdog;
    }

    /** A check whether the server answers. */
    @FunctionalInterface
    public interface Check {
        /** Checks once. */
        void ask(Duration within) throws Exception;
    }

    private void run(ServiceManager manager, Check check, Duration between) {
        do {
            try {
                check.ask(between);
                manager.alive();
            } catch (Exception e) {
                LOG.warn(
                        "the server does not answer its own call: {}; the service manager gets no keep-alive",
                        e.toString());
            }
        } while (!isClosedWithin(between));
    }

    private boolean isClosedWithin(Duration time) {
        try {
            return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Ends the notifications. While the server drains, the time limit of its stop applies instead. */
    @Override
    public void close() {
        closed.countDown();
    }
}
