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

    /** Address and port of the peer; {@code ""} if they are not known. */
    String peer();
}
