package org.warpnfs.iwarp.netty;

import org.warpnfs.iwarp.qp.QueuePairConfig;

/** How long the FPDUs of a connection may be. */
public enum FpduSize {
    /** What fits the connection's TCP segments (EMSS), as RFC 5044, section 5.1 recommends. */
    MSS("mss", 64 << 10),
    /** 16 KiB. */
    KIB_16("16k", 16 << 10),
    /** 64 KiB, which is what the length field permits. */
    KIB_64("64k", 64 << 10);

    private static final int OVERHEAD_BYTES = 6;

    private final String word;
    private final int mostBytes;

    FpduSize(String word, int mostBytes) {
        this.word = word;
        this.mostBytes = mostBytes;
    }

    /** The configuration of a queue pair that makes no longer FPDUs. */
    QueuePairConfig applied(QueuePairConfig config) {
        return config.withMulpduBytes(Math.min(config.mulpduBytes(), mostBytes - OVERHEAD_BYTES));
    }

    /** The word in settings. */
    @Override
    public String toString() {
        return word;
    }
}
