package org.warpnfs.server.systemd;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whoever started this process and wants to know how it goes: systemd (a unit of Type=notify), or podman with
 * {@code --sdnotify container}. Where nobody asked, as in a terminal, everything here does nothing.
 *
 * <h2>Errors</h2>
 *
 * What cannot be told is a warning in the log: the server goes on. Safe for any thread.
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
     * @param environment of this process
     * @param pid of this process
     */
    public static ServiceManager of(Map<String, String> environment, long pid) {
        String name = environment.get("NOTIFY_SOCKET");
        if (name == null || name.isEmpty()) {
            return new ServiceManager(null, null);
        }
        try {
            return new ServiceManager(NotifySocket.at(name), watchdog(environment, pid));
        } catch (IllegalArgumentException e) {
            LOG.warn("NOTIFY_SOCKET={}: {}; the service manager is told nothing", name, e.getMessage());
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
            LOG.warn("WATCHDOG_USEC={}: no number of microseconds; there is no watchdog", micros);
            return null;
        }
    }

    /** After how long without a sign of life the process is restarted; null if it is not. */
    public @Nullable Duration watchdog() {
        return watchdog;
    }

    /** The server serves, or serves again after {@link #reloading()}. */
    public void ready(String status) {
        tell("READY=1\nSTATUS=" + status.replace('\n', ' '));
    }

    /** The configuration is being read again; {@link #ready} says that this is over, whatever came of it. */
    public void reloading() {
        // The clock that systemd compares with is CLOCK_MONOTONIC, and on Linux so is this one.
        tell("RELOADING=1\nMONOTONIC_USEC=" + System.nanoTime() / NANOS_PER_MICRO);
    }

    /** The server stops listening and lets calls under way finish. */
    public void stopping() {
        tell("STOPPING=1\nSTATUS=lets calls under way finish");
    }

    /** A sign of life. */
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
                    "the service manager does not hear {}: {}",
                    message.lines().findFirst().orElse(""),
                    e.getMessage());
        }
    }
}
