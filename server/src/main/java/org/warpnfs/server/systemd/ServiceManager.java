package org.warpnfs.server.systemd;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the service manager that started this process: systemd (a unit of Type=notify), or podman with
 * {@code --sdnotify container}. Without a service manager, for instance in a terminal, all methods do nothing.
 *
 * <h2>Errors</h2>
 *
 * A failed notification is a warning in the log; the server continues. Safe for any thread.
 *
 * @spec https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html sd_notify(3)
 */
public final class ServiceManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
    private static final long NANOS_PER_MICRO = 1000;

    private final @Nullable NotifySocket socket;
    private final @Nullable Duration watchdog;

    private ServiceManager(@Nullable NotifySocket socket, @Nullable Duration watchdog) {
        this.socket = socket;
        this.watchdog = watchdog;
    }

    /**
     * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
     *
     * @param environment the environment of this process
     * @param pid the id of this process
     */
    public static ServiceManager of(Map<String, String> environment, long pid) {
        String name = environment.get("NOTIFY_SOCKET");
        if (name == null || name.isEmpty()) {
            return new ServiceManager(null, null);
        }
        try {
            return new ServiceManager(NotifySocket.at(name), watchdog(environment, pid));
        } catch (IllegalArgumentException e) {
            LOG.warn("NOTIFY_SOCKET={}: {}; the service manager gets no notifications", name, e.getMessage());
            return new ServiceManager(null, null);
        }
    }

    private static @Nullable Duration watchdog(Map<String, String> environment, long pid) {
        String micros = environment.get("WATCHDOG_USEC");
        String whose = environment.get("WATCHDOG_PID");
        if (micros == null || (whose != null && !whose.equals(Long.toString(pid)))) {
            return null;
        }
        try {
            long value = Long.parseLong(micros);
            return value <= 0 ? null : Duration.ofNanos(Math.multiplyExact(value, NANOS_PER_MICRO));
        } catch (NumberFormatException | ArithmeticException e) {
            LOG.warn("WATCHDOG_USEC={}: not a number of microseconds; the watchdog is off", micros);
            return null;
        }
    }

    /**
     * Returns the watchdog interval, after which the service manager restarts a silent process; null if there is none.
     */
    public @Nullable Duration watchdog() {
        return watchdog;
    }

    /** Reports that the server is ready, or ready again after {@link #reloading()}. */
    public void ready(String status) {
        tell("READY=1\nSTATUS=" + status.replace('\n', ' '));
    }

    /** Reports that the configuration is being read again. {@link #ready} must follow, whatever the result. */
    public void reloading() {
        // systemd compares with CLOCK_MONOTONIC, which is also the clock of nanoTime on Linux.
        tell("RELOADING=1\nMONOTONIC_USEC=" + System.nanoTime() / NANOS_PER_MICRO);
    }

    /** Reports that the server stops listening and finishes calls under way. */
    public void stopping() {
        tell("STOPPING=1\nSTATUS=lets calls under way finish");
    }

    /** Reports that the server is alive. */
    void alive() {
        tell("WATCHDOG=1");
    }

    private void tell(String message) {
        NotifySocket to = socket;
        if (to == null) {
            return;
        }
        try {
            to.send(message);
        } catch (IOException e) {
            LOG.warn(
                    "the service manager did not get {}: {}",
                    message.lines().findFirst().orElse(""),
                    e.getMessage());
        }
    }
}
