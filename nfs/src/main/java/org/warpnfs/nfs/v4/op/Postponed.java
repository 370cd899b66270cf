package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * Thrown by an operation on an event loop that would have to wait, or on any thread by one that needs memory after all,
 * before it has had any effect. Its arguments are decoded, and {@link #rest} does all the work on a thread that may
 * wait.
 */
public final class Postponed extends Exception {
    private static final long serialVersionUID = 1L;

    /** What an operation does after its arguments were decoded. */
    @FunctionalInterface
    public interface Rest {
        /** Executes the operation, and encodes what follows NFS4_OK in its result. */
        void execute() throws Nfs4Exception, FsException, Postponed;
    }

    private final transient Rest rest;
    private final int payloadBytes;

    /** @param payloadBytes memory for file data that the rest takes */
    Postponed(int payloadBytes, Rest rest) {
        super("the operation would wait", null, false, false);
        this.payloadBytes = payloadBytes;
        this.rest = rest;
    }

    public int payloadBytes() {
        return payloadBytes;
    }

    public Rest rest() {
        return rest;
    }
}
