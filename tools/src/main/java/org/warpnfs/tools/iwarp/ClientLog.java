package org.warpnfs.tools.iwarp;

/** Is told the end of each client of a server. Called on owner threads. */
@FunctionalInterface
interface ClientLog {
    /**
     * Called at the end of a client.
     *
     * @param well whether the client completed its test
     * @param line a line of text about it
     */
    void ended(boolean well, String line);
}
