package org.warpnfs.rpcrdma.gss;

import java.util.concurrent.Semaphore;

/**
 * Bounds the memory of cryptography: only so many long bodies are protected or opened at once.
 *
 * <p>A body that is protected or opened is on the heap for that time beside its clear form, and with an old encryption
 * type, which is left to the JDK, six times. Lanes have many threads, of which only as many as there are processors
 * make progress in arithmetic. So the others wait here, in the order in which they came. They wait for arithmetic
 * alone, so every wait ends. Safe for any thread.
 */
final class LongBodies {
    /** Shorter bodies do not wait. */
    static final int LONG_BYTES = 64 << 10;

    private final Semaphore places;

    /** @param atOnce at least 1 */
    LongBodies(int atOnce) {
        places = new Semaphore(atOnce, true);
    }

    /** What is done with a body. */
    interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** Runs work on a body of this length, when it is its turn. The body must not be copied before. */
    <T, E extends Exception> T inTurn(long bodyBytes, Work<T, E> work) throws E {
        if (bodyBytes <= LONG_BYTES) {
            return work.run();
        }
        places.acquireUninterruptibly();
        try {
            return work.run();
        } finally {
            places.release();
        }
    }

    /** How many threads wait; an estimate. */
    int waiting() {
        return places.getQueueLength();
    }
}
