package org.warpnfs.lanes;

import java.nio.ByteBuffer;

/** An optional interface of an RPC program some of whose calls take longer than others. */
public interface LaneProgram {
    /**
     * The lane in which a call starts. It is called on the thread that received the call, so it must be quick and must
     * not block. Its result decides nothing but the threads that run the call.
     *
     * <p>A call in {@link Lane#EVENT_LOOP} must not wait for anything: a disk, a lock that is held during I/O, another
     * call. If it would, it {@linkplain CallLanes#proceed proceeds} to another lane.
     *
     * @param procedure the procedure number, unchecked
     * @param arguments the beginning of the arguments from position to limit, unchecked; may be incomplete or empty.
     *     Lent for the duration of this call, must not be written to
     * @param earliest the first lane that may be used: {@link Lane#EVENT_LOOP}, or {@link Lane#SHORT} where no call may
     *     run on the event loop
     */
    Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest);
}
