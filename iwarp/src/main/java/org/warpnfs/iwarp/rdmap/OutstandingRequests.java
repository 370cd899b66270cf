package org.warpnfs.iwarp.rdmap;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Our own requests on the peer's queue 1. Reads are matched by order alone. Atomic operations are matched by order, and
 * their identifiers are checked. Both count against the ORD until their response has been delivered (RFC 5040, section
 * 6.1, RFC 7306, section 5.2).
 */
final class OutstandingRequests {
    private final Queue<OutstandingRead> reads = new ArrayDeque<>();
    private final Queue<Long> atomics = new ArrayDeque<>();
    private int undeliveredReads;

    void add(OutstandingRead read) {
        reads.add(read);
        undeliveredReads++;
    }

    void addAtomic(long requestIdentifier) {
        atomics.add(requestIdentifier);
    }

    /** The number of Reads and atomic operations whose responses have not been delivered. */
    int count() {
        return undeliveredReads + atomics.size();
    }

    /** The Read that the next Read Response answers; null if there is none. */
    @Nullable
    OutstandingRead read() {
        return reads.peek();
    }

    /** All bytes of that Read have been placed. */
    void readPlaced() {
        reads.remove();
    }

    /** A Read whose bytes have all been placed has been delivered. */
    void readDelivered() {
        undeliveredReads--;
    }

    /** The next Atomic Response has been delivered. It must answer the oldest Atomic Request. */
    void atomicAnswered(AtomicResponseHeader response) throws RdmapViolation {
        Long expected = atomics.peek();
        if (expected == null) {
            throw invalid("without an Atomic Request outstanding");
        }
        if (expected != response.requestIdentifier()) {
            throw invalid("with identifier " + response.requestIdentifier() + ", expected " + expected);
        }
        atomics.remove();
    }

    private static RdmapViolation invalid(String why) {
        return new RdmapViolation(
                RdmapError.OPERATION_CATASTROPHIC_STREAM, "Atomic Response " + why + " (RFC 7306, section 5.2.2)");
    }
}
