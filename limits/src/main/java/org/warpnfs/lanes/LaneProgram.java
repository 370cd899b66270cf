package org.warpnfs.lanes;

import java.nio.ByteBuffer;

/** What an RPC program offers beside its procedures, if it knows that some of its calls take longer than others. */
public interface LaneProgram {
    /**
     * In which lane a call starts. A cheap look, on the thread that received the call: it must not block, and decides
     * nothing but the threads that run the call.
     *
     * @param procedure its number, unchecked
     * @param arguments the first of them from position to limit, as they came, unchecked: perhaps not all, perhaps
     *     none. Lent for the length of this call, not to be written to
     */
    Lane laneOf(int procedure, ByteBuffer arguments);
}
