package org.warpnfs.nfs.stats;

/** Whose call it is. Safe for any thread. */
public interface CallOrigin {
    /** Nobody knows. */
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

    /** As the client counts its calls. */
    int xid();

    /** What carried it: {@code rdma}, {@code tcp}, {@code udp}, or another of a few constants. */
    default String transport() {
        return "other";
    }

    /** How long it waited for its first thread; 0 if that is not known. */
    default long waitedNanos() {
        return 0;
    }

    /**
     * What backends have taken of this thread's time so far, as far as anybody says: only differences tell anything.
     */
    default long spentNanos() {
        return 0;
    }

    /**
     * Says when the reply has left, or never will. To be asked when the call ends, before it is answered, once.
     *
     * @param left runs once, on any thread; must not block
     * @return false if nobody says
     */
    default boolean onReplyLeft(Runnable left) {
        return false;
    }

    /** Address and port of the peer; {@code ""} if they are not known. */
    String peer();
}
