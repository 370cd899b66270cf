package org.warpnfs.tools.bench.compare;

import org.warpnfs.tools.bench.Protocol;

/** The kinds of servers and bare loops that are compared. */
public enum Kind {
    BARE_PREAD("bare", "bare pread + writev", "pread"),
    BARE_MMAP("bare", "bare mmap + writev", "mmap"),
    BARE_SPLICE("bare", "bare splice", "splice"),
    BARE_PWRITE("bare", "bare recv + pwrite", "pwrite"),
    RDMA("rdma", "warpnfs RDMA", ""),
    RDMA_CRC("rdma-crc", "warpnfs RDMA with CRC", ""),
    TCP("tcp", "warpnfs TCP", ""),
    OTHER_RDMA("rdma", "other build RDMA", ""),
    OTHER_RDMA_CRC("rdma-crc", "other build RDMA with CRC", ""),
    OTHER_TCP("tcp", "other build TCP", ""),
    GANESHA("ganesha", "NFS-Ganesha TCP", "");

    private final String word;
    private final String title;
    private final String loop;

    Kind(String word, String title, String loop) {
        this.word = word;
        this.title = title;
        this.loop = loop;
    }

    /** The word on the command line. */
    public String word() {
        return word;
    }

    String title() {
        return title;
    }

    /** The mode of the bare loop. Empty for a server. */
    String loop() {
        return loop;
    }

    boolean bare() {
        return !loop.isEmpty();
    }

    /** Whether this is another build of warpnfs, which is measured only if there is one. */
    boolean other() {
        return this == OTHER_RDMA || this == OTHER_RDMA_CRC || this == OTHER_TCP;
    }

    /** The kind of this build that another build is compared with. Every other kind is its own. */
    Kind ofThisBuild() {
        return switch (this) {
            case OTHER_RDMA -> RDMA;
            case OTHER_RDMA_CRC -> RDMA_CRC;
            case OTHER_TCP -> TCP;
            case BARE_PREAD, BARE_MMAP, BARE_SPLICE, BARE_PWRITE, RDMA, RDMA_CRC, TCP, GANESHA -> this;
        };
    }

    /**
     * Whether this kind is measured with that work. The bare loops of 4 KiB show the lowest possible cost of a call, so
     * one for reads and one for writes is enough.
     */
    boolean does(Work work) {
        if (work.task().isPresent()) {
            return ofThisBuild() == RDMA || ofThisBuild() == TCP || this == GANESHA;
        }
        return switch (ofThisBuild()) {
            case BARE_PREAD -> !work.operation().writes();
            case BARE_MMAP, BARE_SPLICE -> !work.operation().writes() && work.bulk();
            case BARE_PWRITE -> work.operation().writes();
            case RDMA, TCP, GANESHA, OTHER_RDMA, OTHER_TCP -> true;
            case RDMA_CRC, OTHER_RDMA_CRC -> work.bulk();
        };
    }

    Protocol protocol() {
        return ofThisBuild() == RDMA || ofThisBuild() == RDMA_CRC ? Protocol.RDMA : Protocol.TCP;
    }
}
