package org.warpnfs.iwarp.qp;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.rdmap.TerminateError;

/**
 * What the streams of one transport carried and how they broke. FPDUs are counted where a batch ends, not one by one. How many causes there are
 * is bounded by what the RFCs assign, whatever a peer sends. Safe for any thread.
 */
public final class StreamCounts {
    private final LongAdder fpdusSent = new LongAdder();
    private final LongAdder fpdusReceived = new LongAdder();
    private final LongAdder crcErrors = new LongAdder();
    private final Map<TerminateCause, LongAdder> terminatesSent = new ConcurrentHashMap<>();
    private final Map<TerminateCause, LongAdder> terminatesReceived = new ConcurrentHashMap<>();

    StreamCounts() {}

    void sent(int fpdus) {
        fpdusSent.add(fpdus);
    }

    void received(int fpdus) {
        fpdusReceived.add(fpdus);
    }

    void violated(ProtocolViolation violation) {
        if (violation instanceof MpaViolation mpa && mpa.error() == MpaError.CRC) {
            crcErrors.increment();
        }
    }

    void terminateSent(TerminateError error) {
        count(terminatesSent, error);
    }

    void terminateReceived(TerminateError error) {
        count(terminatesReceived, error);
    }

    private static void count(Map<TerminateCause, LongAdder> causes, TerminateError error) {
        causes.computeIfAbsent(TerminateCause.of(error), _ -> new LongAdder()).increment();
    }

    /** FPDUs that were given to the socket. */
    public long fpdusSent() {
        return fpdusSent.sum();
    }

    /** FPDUs that arrived whole. */
    public long fpdusReceived() {
        return fpdusReceived.sum();
    }

    /** FPDUs with a wrong CRC; each ends its stream. */
    public long crcErrors() {
        return crcErrors.sum();
    }

    /** Terminates that were sent, by cause; causes that never were are not there. */
    public Map<TerminateCause, Long> terminatesSent() {
        return sums(terminatesSent);
    }

    /** Terminates that peers sent, likewise. */
    public Map<TerminateCause, Long> terminatesReceived() {
        return sums(terminatesReceived);
    }

    private static Map<TerminateCause, Long> sums(Map<TerminateCause, LongAdder> causes) {
        Map<TerminateCause, Long> sums = new HashMap<>();
        causes.forEach((cause, adder) -> sums.put(cause, adder.sum()));
        return sums;
    }
}
