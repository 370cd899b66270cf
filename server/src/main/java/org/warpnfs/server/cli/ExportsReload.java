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
 * Reads the exports, and the names of owners, again while the server runs: all of it counts, or, where something is
 * wrong, what was before. What has changed, or why nothing has, is in the log. One reload at a time; safe for any
 * thread.
 */
final class ExportsReload {
    private static final Logger LOG = LoggerFactory.getLogger(ExportsReload.class);
    private static final int SECONDS = 2;
    /** Less than one who asked over the admin socket waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final WarpServer server;
    private final Source source;
    private final Duration patience;
    private final ReentrantLock turn = new ReentrantLock();
    private Wanted seen = new Wanted(List.of(), IdentityChoices.DEFAULT);
    private String refused = "";

    /** What files say. */
    record Wanted(List<ExportSpec> exports, IdentityChoices identities) {}

    /** Where that is written. */
    interface Source {
        Wanted read() throws ConfigException;
    }

    ExportsReload(WarpServer server, Source source) {
        this(server, source, PATIENCE);
    }

    /** @param patience how long one who asks waits for another reload to end */
    ExportsReload(WarpServer server, Source source, Duration patience) {
        this.server = server;
        this.source = source;
        this.patience = patience;
    }

    /** Reads and serves them now. */
    void run() {
        try {
            report();
        } catch (ConfigException e) {
            // It is in the log.
        }
    }

    /**
     * The same, for one who wants to hear of it.
     *
     * @return what has changed, a line each
     * @throws ConfigException with one line that says why nothing has changed
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
     * Looks every {@value #SECONDS} s whether they say something else, on a daemon thread, until the server ends. Looks
     * at what the files say and not at the files: Kubernetes changes a ConfigMap by turning a symbolic link above them.
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

    /** Looks now. Whatever is wrong is a line in the log: who looks on hears of the next change. */
    void look() {
        turn.lock();
        try {
            Wanted now = source.read();
            refused = "";
            if (!now.equals(seen)) {
                serve(now);
            }
        } catch (ConfigException e) {
            // Once for each mistake, and not every time.
            if (!refused.equals(told(e))) {
                refused = told(e);
                LOG.error("exports are not changed: {}", refused);
            }
        } catch (RuntimeException e) {
            LOG.error("exports are not changed, by a bug of the server", e);
        } finally {
            turn.unlock();
        }
    }

    /** In one line. */
    private static String told(ConfigException e) {
        return String.join("; ", e.mistakes());
    }
}
