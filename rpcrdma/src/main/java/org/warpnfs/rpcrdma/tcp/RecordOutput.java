package org.warpnfs.rpcrdma.tcp;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.Pieces;

/** Takes the records of one connection to its socket. For the event loop only. */
interface RecordOutput {
    /**
     * Writes without a flush.
     *
     * @param pieces at least one byte
     * @param done runs once, when the socket has taken all of it, or with the cause when it never will
     */
    void write(Pieces pieces, Consumer<@Nullable Throwable> done);

    /** Sends what was written, as much as the socket takes now. The rest follows without another call. */
    void flush();

    /** What the socket has taken of the write that is being sent, in bytes. */
    long progressBytes();

    /** Whether a write may have file ranges in place of data. */
    boolean takesRanges();
}
