package org.warpnfs.server;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.Protection;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.rpcrdma.tcp.TlsContext;
import org.warpnfs.rpcrdma.tls.ServerKeys;
import org.warpnfs.schedule.Repeated;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.TlsChoice;

/**
 * The certificate and key of a server. They are read again when the files change, and when the server is told to. Safe
 * for any thread.
 */
final class TlsFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
    private static final Duration LOOK_PAUSE = Duration.ofSeconds(10);

    /** As early as tools that renew certificates should have done it. */
    private static final Duration SOON = Duration.ofDays(14);

    private final TlsChoice choice;
    private final TlsContext context;
    private final ReentrantLock renewing = new ReentrantLock();
    private final ScheduledExecutorService looking;

    /** What was wrong at the last look; guarded by {@link #renewing}. */
    private String wrong = "";

    /** What was logged as wrong; guarded by {@link #renewing}. */
    private String logged = "";

    private TlsFiles(TlsChoice choice, TlsContext context) {
        this.choice = choice;
        this.context = context;
        this.looking = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "warpnfs-tls-files");
            thread.setDaemon(true);
            return thread;
        });
        // Ends with the thread.
        var _ = Repeated.afterPauses(looking, LOOK_PAUSE, this::look);
    }

    /**
     * Reads the files.
     *
     * @throws ConfigException if one cannot be used: one line that says which and why
     */
    static TlsFiles open(TlsChoice choice) throws ConfigException {
        ServerKeys keys = read(choice);
        warn(keys);
        try {
            return new TlsFiles(choice, new TlsContext(keys));
        } catch (IOException e) {
            throw new ConfigException("--tls-certificate " + choice.certificate() + ": " + e.getMessage(), e);
        }
    }

    private static ServerKeys read(TlsChoice choice) throws ConfigException {
        try {
            return ServerKeys.read(choice.certificate(), choice.key(), choice.clientAuthorities());
        } catch (IOException e) {
            throw new ConfigException("TLS: " + e.getMessage(), e);
        }
    }

    private static void warn(ServerKeys keys) {
        Instant now = Instant.now();
        keys.warnings(now, now.plus(SOON)).forEach(line -> LOG.warn("TLS: {}", line));
    }

    TlsContext context() {
        return context;
    }

    /**
     * Reads the files again. New connections get what is in them, and those that are open go on. A valid certificate is
     * not replaced by one that clients refuse, because it has expired or is not valid yet.
     *
     * @return a line for each change
     * @throws ConfigException if a file cannot be used; nothing has changed then
     */
    List<String> renew() throws ConfigException {
        renewing.lock();
        try {
            ServerKeys keys = read(choice);
            boolean changed = !keys.equals(context.keys());
            if (changed) {
                requireNoLoss(keys);
                context.replace(keys);
            }
            wrong = "";
            logged = "";
            if (!changed) {
                return List.of();
            }
            warn(keys);
            return List.of("TLS: new connections get " + keys);
        } catch (IOException e) {
            throw new ConfigException("TLS: " + e.getMessage(), e);
        } finally {
            renewing.unlock();
        }
    }

    private void requireNoLoss(ServerKeys keys) throws ConfigException {
        Instant now = Instant.now();
        if (!keys.isValidAt(now) && context.keys().isValidAt(now)) {
            throw new ConfigException("TLS: " + choice.certificate() + ": "
                    + keys.warnings(now, now).getFirst() + ", and the certificate in use is valid");
        }
    }

    /** A mistake is logged when it was there twice: a certificate and its key cannot be replaced at the same moment. */
    private void look() {
        renewing.lock();
        try {
            renew().forEach(LOG::info);
        } catch (ConfigException e) {
            String now = String.valueOf(e.getMessage());
            if (now.equals(wrong) && !now.equals(logged)) {
                LOG.error("the old certificate stays: {}", now);
                logged = now;
            }
            wrong = now;
        } finally {
            renewing.unlock();
        }
    }

    /**
     * Checks that clients can get the protection that exports want.
     *
     * @param files null if there is no TLS
     * @throws ConfigException if no client could use one of the exports
     */
    static void requireReachable(List<Export> exports, @Nullable TlsFiles files) throws ConfigException {
        for (Export export : exports) {
            for (ExportRule rule : export.policy().rules()) {
                ExportOptions options = rule.options();
                boolean reachable = options.accepts(Protection.NONE)
                        || (files != null
                                && options.accepts(
                                        files.context.keys().asksClients() ? Protection.MUTUAL_TLS : Protection.TLS));
                if (reachable) {
                    continue;
                }
                throw new ConfigException("export " + export.path() + ": xprtsec= wants TLS, which needs "
                        + (files == null ? "--tls-certificate and --tls-key" : "--tls-client-ca for mtls"));
            }
        }
    }

    @Override
    public void close() {
        looking.shutdownNow();
        context.close();
    }
}
