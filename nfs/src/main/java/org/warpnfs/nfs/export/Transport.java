package org.warpnfs.nfs.export;

/** A transport that NFS is served over, as {@code transport=} of an export names it. */
public enum Transport {
    RDMA("rdma"),
    /** TCP, in clear or inside TLS. */
    TCP("tcp");

    private final String word;

    Transport(String word) {
        this.word = word;
    }

    /** The name in the options of an export. */
    public String word() {
        return word;
    }
}
