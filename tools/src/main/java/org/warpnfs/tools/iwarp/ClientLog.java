package org.warpnfs.tools.iwarp;

/** Hears of the end of each client of a server. Called on owner threads. */
@FunctionalInterface
interface ClientLog {
    /**
     * Hears of one end.
     *
     * @param well whether the client did all of its test
     * @param line about it, for people
     */
    void ended(boolean well, String line);
}
