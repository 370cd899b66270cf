package org.warpnfs.server.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;

/**
 * Reads the exports and the names of owners again while the server runs. If there is a mistake, nothing changes. The
 * log says what has changed, or why nothing has. One reload at a time; safe for any thread.
 */
final class ExportsReload {
    private static final Logger LOG = LoggerFactory.getLogger(ExportsReload.class);
    private static final int SECONDS = 2;
    /** How long to wait for another reload; less than a client of the admin socket waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final WarpServer server;
    private final Source source;
    private final Duration patience;
    private final ReentrantLock turn = new ReentrantLock();
    private Wanted seen = new Wanted(List.of(), IdentityChoices.DEFAULT);
    private String refused = "";

    /** The contents of the files. */
    record Wanted(List<ExportSpec> exports, IdentityChoices identities) {}

    /** Reads the files. */
    interface Source {
        Wanted read() throws ConfigException;
    }

    ExportsReload(WarpServer server, Source source) {
        this(server, source, PATIENCE);
    }

    /** @param patience how long to wait for another reload to end */
    ExportsReload(WarpServer server, Source source, Duration patience) {
        this.server = server;
        this.source = source;
        this.patience = patience;
    }

    /** Reloads now; the result is in the log. */
    void run() {
        try {
            report();
        } catch (ConfigException e) {
            // The log has it.
        }
    }

    /**
     * Reloads now.
     *
     * @return the changes, a line each
     * @throws ConfigException if nothing has changed because of a mistake; one line gives it
     */
    List<String> report() throws ConfigException {
        requireTurn();
        try {
            return serve(source.read());
        } catch (ConfigException e) {
            LOG.error("exports are not changed: {}", told(e));
            throw e;
        } finally {
            turn.unlock();
        }
    }

    private void requireTurn() throws ConfigException {
        try {
            if (turn.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ConfigException refusal = new ConfigException(
                "another reload is still under way: a file system or a name service does not answer");
        LOG.error("exports are not changed: {}", told(refusal));
        throw refusal;
    }

    private List<String> serve(Wanted wanted) throws ConfigException {
        List<String> changes = server.reload(wanted.exports(), wanted.identities());
        changes.forEach(LOG::info);
        LOG.info("exports read again: {}", changes.isEmpty() ? "nothing has changed" : changes.size() + " changes");
        seen = wanted;
        return changes;
    }

    /**
     * Checks every {@value #SECONDS} s whether the contents have changed, on a daemon thread, until the server ends. It
     * compares contents and not file attributes, because Kubernetes changes a ConfigMap by replacing a symbolic link
     * above the files.
     */
    void watch() {
        Thread watching = new Thread(this::lookAgainAndAgain, "warpnfs-exports");
        watching.setDaemon(true);
        watching.start();
    }

    private void lookAgainAndAgain() {
        try {
            first();
            while (true) {
                Thread.sleep(Duration.ofSeconds(SECONDS));
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void first() {
        turn.lock();
        try {
            seen = source.read();
        } catch (ConfigException e) {
            refused = told(e);
        } finally {
            turn.unlock();
        }
    }

    /** Checks once. Every error is logged and never thrown, so that later changes are noticed. */
    void look() {
        turn.lock();
        try {
            Wanted now = source.read();
            refused = "";
            if (!now.equals(seen)) {
                serve(now);
            }
        } catch (ConfigException e) {
            // Each mistake is logged once, not at every check.
            if (!refused.equals(told(e))) {
                refused = told(e);
                LOG.error("exports are not changed: {}", refused);
            }
        } catch (RuntimeException e) {
            LOG.error("exports are not changed, because of a bug of the server", e);
        } finally {
            turn.unlock();
        }
    }

    /** Returns the mistakes in one line. */
    private static String told(ConfigException e) {
        return String.join("; ", e.mistakes());
    }
}
