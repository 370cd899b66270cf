package org.warpnfs.limits;

/**
 * An optional interface of a transport that tells whether the peer is privileged. A program tests
 * {@code call.getTransport() instanceof PrivilegedPeer}. Safe for any thread.
 */
public interface PrivilegedPeer {
    /**
     * True if no ordinary user of the peer's host could send the calls of this connection, as far as the port shows.
     * Over TCP that means a port below 1024. Over RDMA the connection manager chooses the port, and only trusted users
     * get access to the adapter. The Linux server counts RDMA connections as privileged, and so do we.
     */
    boolean isPrivileged();
}
