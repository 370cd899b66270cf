package org.warpnfs.iwarp.qp;

import java.util.function.Consumer;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Takes turns between the environment, the stream and the upper layer, so that none of them is called while it calls.
 *
 * <h2>Operation</h2>
 *
 * What the environment calls goes through {@link #enter}. At its end the upper layer hears what there is to hear, and
 * what there is to send is sent, until neither leads to more. What the upper layer calls meanwhile is done at the end
 * of that turn; what it calls at other times gets a turn of its own, later, on the owner thread.
 *
 * <h2>Buffers</h2>
 *
 * Those of completions that were not told yet.
 *
 * <h2>Errors</h2>
 *
 * Violations and bugs go to {@link StreamLife}; nothing is thrown back to the environment.
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

    /** What may be done in one call of the environment's. */
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

    /** Tells the upper layer what there is to tell and sends what there is to send, until neither leads to more. */
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

    /** The upper layer has called: we go on later, unless we are about to anyway. */
    void leaveSoon() {
        if (!upcalling) {
            link.execute(this::leave);
        }
    }

    /** The upper layer has called and there is something to tell it: later, unless it is being told already. */
    void leaveLater() {
        if (!upcalling && !upcalls.isEmpty()) {
            link.execute(this::leave);
        }
    }

    /** Sends what there is to send, now. */
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

    /** Runs a task of the upper layer's in a turn of its own. */
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
