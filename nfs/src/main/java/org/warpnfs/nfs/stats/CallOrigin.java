package org.warpnfs.nfs.stats;

/** The origin of a call. Safe for any thread. */
public interface CallOrigin {
    /** An origin of which nothing is known. */
    CallOrigin UNKNOWN = new CallOrigin() {
        @Override
        public int xid() {
            return 0;
        }

        @Override
        public String peer() {
            return "";
        }
    };

    /** The XID, by which the client numbers its calls. */
    int xid();

    /** The transport: {@code rdma}, {@code tcp}, {@code udp}, or another of a few constants. */
    default String transport() {
        return "other";
    }

    /** How long the call waited for its first thread; 0 if that is not known. */
    default long waitedNanos() {
        return 0;
    }

    /**
     * Time that backends have taken on this thread so far, as far as it is measured. Only differences are meaningful.
     */
    default long spentNanos() {
        return 0;
    }

    /**
     * Registers for the time when the reply has left or never will. May be called once, when the call ends and before
     * it is answered.
     *
     * @param left runs once, on any thread; must not block
     * @return false if the transport does not report this
     */
    default boolean onReplyLeft(Runnable left) {
        return false;
    }

    /** Address and port of the peer; {@code ""} if they are not known. */
    String peer();
}
