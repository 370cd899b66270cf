package org.warpnfs.iwarp.rdmap;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;

/** What an {@link RdmapStream} tells the layer above. */
public interface RdmapUlp {
    /** A Send arrived; the STag it names has been invalidated already. */
    void sendDelivered(UntaggedBuffer buffer, int messageBytes, boolean solicited, OptionalLong invalidatedStag);

    /** A Send is whole, but names an STag that it may not invalidate: its buffer comes back, then the stream ends. */
    void sendRefused(UntaggedBuffer buffer);

    /**
     * The peer asks to read, and may.
     *
     * @param segment the header that the request came with
     * @param source null for a read of nothing
     * @param sourceOffsetBytes where in the source its first byte is
     */
    void readRequested(
            ReadRequestHeader request, UntaggedHeader segment, @Nullable RdmapRegion source, int sourceOffsetBytes);

    /** The oldest outstanding Read has all its bytes. */
    void readCompleted();

    /** The peer has ended the stream; its message is given raw too, for the log. */
    void terminated(TerminateHeader header, String rawHex);
}
