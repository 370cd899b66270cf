package org.warpnfs.iwarp.qp;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.rdmap.TerminateError;

/**
 * Counts what the streams of one transport carried and how they failed. FPDUs are counted for each batch, not one by
 * one. The number of causes is bounded by the codes that the RFCs assign, whatever a peer sends. Safe for any thread.
 */
public final class StreamCounts {
    /** Segments of Ethernet. */
    private static final int SMALL_BYTES = 2 << 10;
    /** Jumbo frames. */
    private static final int MEDIUM_BYTES = 16 << 10;

    private final List<LongAdder> fpdusSent = List.of(new LongAdder(), new LongAdder(), new LongAdder());
    private final LongAdder fpdusReceived = new LongAdder();
    private final LongAdder crcErrors = new LongAdder();
    private final Map<TerminateCause, LongAdder> terminatesSent = new ConcurrentHashMap<>();
    private final Map<TerminateCause, LongAdder> terminatesReceived = new ConcurrentHashMap<>();

    private final Map<StreamPhase, LongAdder> phases = new EnumMap<>(StreamPhase.class);

    StreamCounts() {
        // The maps are filled here and never changed again, so that reading them needs no lock.
        for (StreamPhase phase : StreamPhase.values()) {
            phases.put(phase, new LongAdder());
        }
    }

    /**
     * A stream moved to phase {@code next}. Null stands for no phase: before the stream begins and after it is gone.
     */
    void moved(@Nullable StreamPhase last, @Nullable StreamPhase next) {
        count(last, -1);
        count(next, 1);
    }

    private void count(@Nullable StreamPhase phase, int change) {
        LongAdder adder = phase == null ? null : phases.get(phase);
        if (adder != null) {
            adder.add(change);
        }
    }

    /** @param longestBytes the longest FPDU that may be sent over the connection now */
    void sent(int fpdus, int longestBytes) {
        fpdusSent
                .get(longestBytes <= SMALL_BYTES ? 0 : longestBytes <= MEDIUM_BYTES ? 1 : 2)
                .add(fpdus);
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

    /** The number of streams in each phase now. */
    public Map<StreamPhase, Long> streams() {
        Map<StreamPhase, Long> sums = new EnumMap<>(StreamPhase.class);
        phases.forEach((phase, adder) -> sums.put(phase, adder.sum()));
        return sums;
    }

    /**
     * FPDUs that were given to the socket, by how long the longest of their connection may be: up to 2 KiB, as segments
     * of Ethernet are, up to 16 KiB, as jumbo frames are, or longer.
     */
    public List<Long> fpdusSent() {
        return fpdusSent.stream().map(LongAdder::sum).toList();
    }

    /** Complete FPDUs that arrived. */
    public long fpdusReceived() {
        return fpdusReceived.sum();
    }

    /** FPDUs with a wrong CRC. Each ended its stream. */
    public long crcErrors() {
        return crcErrors.sum();
    }

    /** Terminates that were sent, by cause. A cause that never occurred is missing. */
    public Map<TerminateCause, Long> terminatesSent() {
        return sums(terminatesSent);
    }

    /** Terminates that peers sent, by cause. A cause that never occurred is missing. */
    public Map<TerminateCause, Long> terminatesReceived() {
        return sums(terminatesReceived);
    }

    private static Map<TerminateCause, Long> sums(Map<TerminateCause, LongAdder> causes) {
        Map<TerminateCause, Long> sums = new HashMap<>();
        causes.forEach((cause, adder) -> sums.put(cause, adder.sum()));
        return sums;
    }
}
