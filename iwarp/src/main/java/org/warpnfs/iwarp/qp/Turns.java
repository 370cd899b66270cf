package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/**
 * Takes turns between the environment, the machine and the upper layer, so that none of them is called while it calls.
 *
 * <h2>Operation</h2>
 *
 * What the environment calls goes through {@link #enter}. At its end the upper layer hears what there is to hear, and what
 * there is to send is sent, until neither leads to more. What the upper layer calls meanwhile is done at the end of that turn;
 * what it calls at other times gets a turn of its own, later, on the owner thread.
 *
 * <h2>Buffers</h2>
 *
 * Those of completions that were not told yet.
 *
 * <h2>Errors</h2>
 *
 * Violations and bugs go to the machine; nothing is thrown back to the environment.
 */
final class Turns {
    private final QueuePairMachine machine;
    private final QueuePairLink link;
    private final Upcalls upcalls;
    private boolean outputWanted;
    private boolean upcalling;

    Turns(QueuePairMachine machine, QueuePairLink link, Upcalls upcalls) {
        this.machine = machine;
        this.link = link;
        this.upcalls = upcalls;
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
            machine.terminate(violation);
        } catch (RuntimeException | Error e) {
            machine.bug(e);
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
                upcalls.deliver();
                machine.drainIfDone();
                if (outputWanted) {
                    outputWanted = false;
                    link.outputReady();
                }
            } while (outputWanted || !upcalls.isEmpty());
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

    /** There is something to send at the end of this turn. */
    void wantOutput() {
        outputWanted = true;
    }

    /** Sends what there is to send, now. */
    void flush() {
        if (upcalling) {
            outputWanted = true;
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
                machine.bug(e);
            } finally {
                upcalling = false;
            }
            leave();
        });
    }

    // What the upper layer is going to hear.

    boolean upperLayerIdle() {
        return upcalls.isEmpty() && upcalls.upperLayerIdle();
    }

    boolean workTold() {
        return upcalls.workTold();
    }

    void completeTo(LocalCompletionQueue queue) {
        upcalls.completeTo(queue);
    }

    void setHandler(QueuePairHandler upperLayer) {
        upcalls.setHandler(upperLayer);
    }

    void established() {
        upcalls.established();
    }

    /** @param told runs right before */
    void halfClosed(Runnable told) {
        upcalls.halfClosed(told);
    }

    void completed(Completion completion) {
        upcalls.completed(completion);
    }

    void disconnected(DisconnectReason reason) {
        upcalls.disconnected(reason);
    }
}
