package org.warpnfs.tools.bench;

/** The transport of the calls. */
public enum Protocol {
    RDMA(20_049),
    TCP(2049);

    private final int port;

    Protocol(int port) {
        this.port = port;
    }

    /** The port on which servers listen by default. */
    public int defaultPort() {
        return port;
    }
}
