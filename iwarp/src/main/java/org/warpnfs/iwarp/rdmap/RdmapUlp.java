package org.warpnfs.iwarp.rdmap;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;

/** Receives the events of an {@link RdmapStream}. */
public interface RdmapUlp {
    /** A Send arrived. The STag that it names has been invalidated already. */
    void sendDelivered(UntaggedBuffer buffer, int messageBytes, boolean solicited, OptionalLong invalidatedStag);

    /**
     * The peer sent a Read Request that is permitted.
     *
     * @param segment the header that the request came with
     * @param source null if the request is for zero bytes
     * @param sourceOffsetBytes the offset of the first requested byte in the source
     */
    void readRequested(
            ReadRequestHeader request, UntaggedHeader segment, @Nullable RdmapRegion source, int sourceOffsetBytes);

    /** Eight bytes of Immediate Data arrived, the first of them in the highest bits. */
    void immediateDelivered(UntaggedBuffer buffer, long data, boolean solicited);

    /** A message for a posted receive is complete but must not be delivered. The violation follows. */
    void receiveFailed(UntaggedBuffer buffer);

    /**
     * The peer sent an Atomic Request that is permitted. It must not be executed before the responses to all earlier
     * requests have been generated and their bytes read.
     *
     * @param segment the header that the request came with
     * @param targetOffsetBytes the offset of the word in the target
     */
    void atomicRequested(
            AtomicRequestHeader request, UntaggedHeader segment, RdmapRegion target, int targetOffsetBytes);

    /** Our oldest outstanding atomic operation was executed. The argument is the previous value of the word. */
    void atomicCompleted(long originalValue);

    /** All bytes of our oldest outstanding Read have been placed. */
    void readCompleted();

    /** The peer ended the stream with a Terminate. The raw message is for the log. */
    void terminated(TerminateHeader header, String rawHex);
}
