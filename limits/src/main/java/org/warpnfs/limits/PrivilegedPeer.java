package org.warpnfs.limits;

/**
 * What a transport can say of who sends its calls, beside an address: a program asks {@code call.getTransport()
 * instanceof PrivilegedPeer}. Safe for any thread.
 */
public interface PrivilegedPeer {
    /**
     * True if no ordinary user of the peer's host could send the calls of this connection, as far as its port tells:
     * over TCP a port below 1024. Over RDMA the connection manager draws ports and hands the adapter to whom it trusts;
     * Linux' server counts such connections as privileged, and so they are here.
     */
    boolean isPrivileged();
}
