package org.warpnfs.server.killed;

import java.nio.ByteBuffer;

/** What a client does to its files, in the words of one version of NFS. Each status is that of the reply. */
interface FileCalls {
    int OK = 0;
    int STABLE = 2;

    /** What a call said. */
    final class Answer {
        private final int status;
        private final byte[] handle;
        private final int committed;
        private final long verifier;

        /**
         * @param handle of what was made or found, else empty
         * @param committed how stable what was written is; {@link #STABLE} is FILE_SYNC
         * @param verifier of a WRITE or a COMMIT
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

    /** The handle of the root of the server. */
    byte[] root() throws Exception;

    /** Sends a change, or repeats it under its XID. */
    Answer perform(Change change, byte[] directory) throws Exception;

    /** Closes what the latest change opened, if it did. */
    void settle() throws Exception;

    Answer lookup(byte[] directory, String name) throws Exception;

    /** The status of a GETATTR. */
    int probe(byte[] handle) throws Exception;

    /** By an open, if the file is held open. */
    Answer write(int xid, byte[] handle, FileModel.Range range, int stable) throws Exception;

    Answer commit(byte[] handle) throws Exception;

    /** Everything in the file: the status, and the data if that is 0. */
    ByteBuffer read(byte[] handle) throws Exception;
}
