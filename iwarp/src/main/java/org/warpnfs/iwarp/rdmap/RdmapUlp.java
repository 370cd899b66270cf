package org.warpnfs.iwarp.rdmap;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;

/** What an {@link RdmapStream} tells the layer above. */
public interface RdmapUlp {
    /** A Send arrived; the STag it names has been invalidated already. */
    void sendDelivered(UntaggedBuffer buffer, int messageBytes, boolean solicited, OptionalLong invalidatedStag);

    /**
     * The peer asks to read, and may.
     *
     * @param segment the header that the request came with
     * @param source null for a read of nothing
     * @param sourceOffsetBytes where in the source its first byte is
     */
    void readRequested(
            ReadRequestHeader request, UntaggedHeader segment, @Nullable RdmapRegion source, int sourceOffsetBytes);

    /** Eight bytes of Immediate Data arrived, the first of them in the highest bits. */
    void immediateDelivered(UntaggedBuffer buffer, long data, boolean solicited);

    /** A message for a posted receive is complete but may not be delivered; the violation follows. */
    void receiveFailed(UntaggedBuffer buffer);

    /**
     * The peer asks for an atomic operation, and may. It is to be executed after the answers to all requests before it
     * have been generated, and their bytes read.
     *
     * @param segment the header that the request came with
     * @param targetOffsetBytes where in the target the word is
     */
    void atomicRequested(
            AtomicRequestHeader request, UntaggedHeader segment, RdmapRegion target, int targetOffsetBytes);

    /** The oldest outstanding atomic operation of ours was executed; what was there before. */
    void atomicCompleted(long originalValue);

    /** The oldest outstanding Read has all its bytes. */
    void readCompleted();

    /** The peer has ended the stream; its message is given raw too, for the log. */
    void terminated(TerminateHeader header, String rawHex);
}
