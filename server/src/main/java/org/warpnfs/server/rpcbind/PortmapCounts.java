package org.warpnfs.server.rpcbind;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/**
 * Counts the calls of each procedure: rpcb_stat_byvers, without the lists of looked-up programs. Safe for any thread.
 *
 * @spec https://www.rfc-editor.org/rfc/rfc1833#section-2.1 RFC 1833, section 2.1
 */
final class PortmapCounts {
    /** RPCBVERS_STAT: versions 2, 3 and 4. */
    private static final int VERSIONS = 3;
    /** RPCBSTAT_HIGHPROC. */
    private static final int PROCEDURES = 13;

    /** Counters of all portmappers of this process for the metrics: calls of each version, and refused calls. */
    private static final AtomicLongArray CALLS = new AtomicLongArray(VERSIONS);

    private static final AtomicLong REFUSED = new AtomicLong();

    private final AtomicIntegerArray calls = new AtomicIntegerArray(VERSIONS * PROCEDURES);

    /** Returns the calls of a version, 2 to 4, to all portmappers of this process. */
    static long callsOfProcess(int version) {
        return CALLS.get(version - 2);
    }

    /** Returns the calls that would have changed something, or made this host call another. */
    static long refusedOfProcess() {
        return REFUSED.get();
    }

    void countRefused() {
        REFUSED.incrementAndGet();
    }

    void count(int version, int procedure) {
        CALLS.incrementAndGet(version - 2);
        if (procedure >= 0 && procedure < PROCEDURES) {
            calls.incrementAndGet((version - 2) * PROCEDURES + procedure);
        }
    }

    void encode(XdrEncodingStream xdr) {
        for (int version = 0; version < VERSIONS; version++) {
            for (int procedure = 0; procedure < PROCEDURES; procedure++) {
                xdr.xdrEncodeInt(calls.get(version * PROCEDURES + procedure));
            }
            // The numbers of successful SETs and UNSETs, and two empty lists.
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeBoolean(false);
            xdr.xdrEncodeBoolean(false);
        }
    }
}
