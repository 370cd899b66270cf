package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.nlm.NlmProgram;
import org.warpnfs.nfs.nlm.NsmProgram;

/**
 * Keeps this server registered with the rpcbind of its host.
 *
 * <h2>Operation</h2>
 *
 * Registers when it is created, and withdraws its registrations when it is closed. A thread of its own checks them
 * periodically, since an rpcbind that was restarted may have forgotten them. A server without registrations still
 * serves clients that name its ports.
 *
 * <h2>Errors</h2>
 *
 * If rpcbind is missing or refuses, one line is logged, and another one when that changes. Safe for any thread.
 */
public final class RpcbindRegistration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcbindRegistration.class);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(30);

    /** Connects to rpcbind. */
    @FunctionalInterface
    interface Connector {
        /**
         * Connects.
         *
         * @throws IOException if there is none
         */
        RpcbindClient connect() throws IOException;
    }

    /** The result of the last check; each change is logged. */
    private enum Finding {
        NOTHING,
        ABSENT,
        REGISTERED,
        REFUSED
    }

    private final Connector connector;
    private final Registrations registrations;
    private final int wantedCount;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread looker;
    private Finding finding = Finding.NOTHING;

    private RpcbindRegistration(List<Mapping> wanted, Connector connector, Duration betweenLooks) {
        this.connector = connector;
        this.registrations = new Registrations(wanted);
        this.wantedCount = wanted.size();
        this.looker = Thread.ofPlatform().daemon().name("rpcbind").unstarted(() -> lookAgain(betweenLooks.toMillis()));
    }

    /** Registers, or logs why it cannot. */
    public static RpcbindRegistration start(Mappings programs) {
        return start(programs.all(), RpcbindClient::connect, BETWEEN_LOOKS);
    }

    static RpcbindRegistration start(List<Mapping> wanted, Connector connector, Duration betweenLooks) {
        RpcbindRegistration registration = new RpcbindRegistration(wanted, connector, betweenLooks);
        registration.look();
        registration.looker.start();
        return registration;
    }

    /** Returns whether everything was registered at the last check. */
    public synchronized boolean isRegistered() {
        return finding == Finding.REGISTERED;
    }

    private void lookAgain(long everyMillis) {
        try {
            while (!closed.await(everyMillis, TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void look() {
        if (closed.getCount() == 0) {
            return;
        }
        try (RpcbindClient rpcbind = connector.connect()) {
            say(registrations.make(rpcbind));
        } catch (IOException e) {
            if (finding != Finding.ABSENT) {
                LOG.info("no rpcbind on this host ({}): clients must name ports", e.getMessage());
            }
            finding = Finding.ABSENT;
        }
    }

    private static boolean isOfLocks(Mapping mapping) {
        return mapping.program() == NlmProgram.PROGRAM || mapping.program() == NsmProgram.PROGRAM;
    }

    private void say(Registrations.Outcome outcome) {
        outcome.removed().forEach(mapping -> LOG.info("rpcbind: removed {}, where nothing listens", mapping));
        boolean locksElsewhere = outcome.refused().stream().anyMatch(RpcbindRegistration::isOfLocks);
        if (locksElsewhere && !finding.equals(Finding.REFUSED)) {
            LOG.warn("this host's own lockd or rpc.statd is registered with rpcbind: NFSv3 clients find it in place of "
                    + "this server's lock manager, and must mount with nolock. Stop it, or use --rpcbind serve on an "
                    + "address of its own, or --nlm off");
        }
        Finding now = outcome.refused().isEmpty() ? Finding.REGISTERED : Finding.REFUSED;
        if (now == Finding.REFUSED && finding != now) {
            LOG.warn(
                    "rpcbind refuses {}, and {} others: another server may be registered, or user {} may not register",
                    outcome.refused().getFirst(),
                    outcome.refused().size() - 1,
                    System.getProperty("user.name"));
        } else if (now == Finding.REGISTERED
                && (finding != now || !outcome.added().isEmpty())) {
            LOG.info(
                    "registered with rpcbind: {} entries, {} of them new",
                    wantedCount,
                    outcome.added().size());
        }
        finding = now;
    }

    /** Withdraws the registrations and ends the checks. */
    @Override
    public synchronized void close() {
        if (closed.getCount() == 0) {
            return;
        }
        closed.countDown();
        if (finding == Finding.ABSENT) {
            return;
        }
        try (RpcbindClient rpcbind = connector.connect()) {
            registrations.withdraw(rpcbind);
        } catch (IOException e) {
            LOG.info("rpcbind does not run any more ({}): there is nothing to withdraw", e.getMessage());
        }
    }
}
