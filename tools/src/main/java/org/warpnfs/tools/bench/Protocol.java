package org.warpnfs.tools.bench;

/** What the calls go over. */
public enum Protocol {
    RDMA(20_049),
    TCP(2049);

    private final int port;

    Protocol(int port) {
        this.port = port;
    }

    /** Where servers listen unless they say otherwise. */
    public int defaultPort() {
        return port;
    }
}
