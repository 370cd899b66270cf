package org.warpnfs.iwarp.qp;

import java.util.function.Consumer;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Orders the calls between the environment, the stream and the upper layer, so that none of them is called while it
 * calls.
 *
 * <h2>Operation</h2>
 *
 * Every call of the environment goes through {@link #enter}. At its end, pending upcalls are delivered and pending
 * output is sent, until neither leads to more. Calls that the upper layer makes meanwhile take effect at the end of
 * that turn. Calls that it makes at other times get a turn of their own, later, on the owner thread.
 *
 * <h2>Buffers</h2>
 *
 * Those of completions that have not been delivered yet.
 *
 * <h2>Errors</h2>
 *
 * Violations and defects go to {@link StreamLife}. Nothing is thrown to the environment.
 */
final class Turns {
    private final QueuePairLink link;
    private final StreamLife life;
    private final Transmitter transmitter;
    private final Upcalls upcalls;
    private final Consumer<Throwable> bugs;
    private boolean upcalling;

    Turns(QueuePairLink link, StreamLife life, Transmitter transmitter, Upcalls upcalls) {
        this.link = link;
        this.life = life;
        this.transmitter = transmitter;
        this.upcalls = upcalls;
        this.bugs = life::bug;
    }

    /** The action of one call of the environment. */
    @FunctionalInterface
    interface Entry {
        void run() throws ProtocolViolation;
    }

    void enter(Entry entry) {
        try {
            entry.run();
        } catch (ProtocolViolation violation) {
            life.terminate(violation);
        } catch (RuntimeException | Error e) {
            life.bug(e);
        }
        leave();
    }

    /** Delivers pending upcalls and sends pending output, until neither leads to more. */
    private void leave() {
        if (upcalling) {
            return;
        }
        upcalling = true;
        try {
            do {
                upcalls.deliver(bugs);
                life.drainIfDone();
                if (transmitter.takeWanted()) {
                    link.outputReady();
                }
            } while (transmitter.wanted() || !upcalls.isEmpty());
        } finally {
            upcalling = false;
        }
    }

    /** Schedules {@link #leave} after a call of the upper layer, unless a turn is in progress. */
    void leaveSoon() {
        if (!upcalling) {
            link.execute(this::leave);
        }
    }

    /** Schedules {@link #leave} after a call of the upper layer, if upcalls are pending and no turn is in progress. */
    void leaveLater() {
        if (!upcalling && !upcalls.isEmpty()) {
            link.execute(this::leave);
        }
    }

    /** Sends pending output now. */
    void flush() {
        if (upcalling) {
            transmitter.want();
            return;
        }
        upcalling = true;
        try {
            link.outputReady();
        } finally {
            upcalling = false;
        }
        leaveLater();
    }

    /** Runs a task of the upper layer in a turn of its own. */
    void execute(Runnable task) {
        link.execute(() -> {
            upcalling = true;
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                life.bug(e);
            } finally {
                upcalling = false;
            }
            leave();
        });
    }
}
