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

    /** Address and port of the peer; {@code ""} if they are not known. */
    String peer();
}
