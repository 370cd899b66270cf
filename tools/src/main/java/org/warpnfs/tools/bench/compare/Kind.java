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

    /**
     * Whether this kind is measured with that work. The bare loops of 4 KiB show the lowest possible cost of a call, so
     * one for reads and one for writes is enough.
     */
    boolean does(Work work) {
        if (work.task().isPresent()) {
            return this == RDMA || this == TCP || this == GANESHA;
        }
        return switch (this) {
            case BARE_PREAD -> !work.operation().writes();
            case BARE_MMAP, BARE_SPLICE -> !work.operation().writes() && work.bulk();
            case BARE_PWRITE -> work.operation().writes();
            case RDMA, TCP, GANESHA -> true;
            case RDMA_CRC -> work.bulk();
        };
    }

    Protocol protocol() {
        return this == RDMA || this == RDMA_CRC ? Protocol.RDMA : Protocol.TCP;
    }
}
