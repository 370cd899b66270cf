package org.warpnfs.server.killed;

import java.nio.ByteBuffer;

/** The calls on files that a client makes, in one version of NFS. Each returned status is that of the reply. */
interface FileCalls {
    int OK = 0;
    int STABLE = 2;

    /** The answer to a call. */
    final class Answer {
        private final int status;
        private final byte[] handle;
        private final int committed;
        private final long verifier;

        /**
         * @param handle the handle of the file that was made or found, else empty
         * @param committed how stable the written data are; {@link #STABLE} is FILE_SYNC
         * @param verifier the verifier of a WRITE or a COMMIT
         */
        Answer(int status, byte[] handle, int committed, long verifier) {
            this.status = status;
            this.handle = handle;
            this.committed = committed;
            this.verifier = verifier;
        }

        Answer(int status) {
            this(status, new byte[0], 0, 0);
        }

        int status() {
            return status;
        }

        byte[] handle() {
            return handle;
        }

        int committed() {
            return committed;
        }

        long verifier() {
            return verifier;
        }
    }

    /** Returns the handle of the server's root. */
    byte[] root() throws Exception;

    /** Sends a change; the same XID sent again is a repetition. */
    Answer perform(Change change, byte[] directory) throws Exception;

    /** Closes the file that the latest change opened, if it opened one. */
    void settle() throws Exception;

    Answer lookup(byte[] directory, String name) throws Exception;

    /** Returns the status of a GETATTR. */
    int probe(byte[] handle) throws Exception;

    /** Writes a range. If the client holds the file open, the WRITE uses that open. */
    Answer write(int xid, byte[] handle, FileModel.Range range, int stable) throws Exception;

    Answer commit(byte[] handle) throws Exception;

    /** Reads the whole file. Returns the status, followed by the data if the status is 0. */
    ByteBuffer read(byte[] handle) throws Exception;
}
