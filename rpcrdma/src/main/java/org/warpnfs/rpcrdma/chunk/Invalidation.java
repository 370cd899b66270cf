package org.warpnfs.rpcrdma.chunk;

import java.util.OptionalLong;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** Chooses the steering tag of a call that its reply may invalidate (RFC 8797, section 3.2). */
public final class Invalidation {
    private Invalidation() {}

    /**
     * The handle that all segments of the call share, if they share one. Empty if there are several, because one of
     * them may outlive the call: Linux offers a long-lived one for the pad of a Write chunk, and invalidating it breaks
     * later READs. Empty too if all segments have length zero, because the handle of such a segment need not be
     * registered.
     */
    public static OptionalLong candidate(ChunkLists lists) {
        Handles handles = new Handles();
        for (int i = 0; i < lists.readList().size(); i++) {
            ReadSegment entry = lists.readList().get(i);
            handles.add(entry.segment());
        }
        for (int i = 0; i < lists.writeList().size(); i++) {
            WriteChunk chunk = lists.writeList().get(i);
            chunk.segments().forEach(handles::add);
        }
        lists.replyChunk().ifPresent(chunk -> chunk.segments().forEach(handles::add));
        return handles.named && handles.same ? OptionalLong.of(handles.first) : OptionalLong.empty();
    }

    private static final class Handles {
        private boolean seen;
        private boolean named;
        private boolean same = true;
        private long first;

        void add(RdmaSegment segment) {
            if (!seen) {
                seen = true;
                first = segment.handle();
            }
            same &= segment.handle() == first;
            named |= segment.lengthBytes() > 0;
        }
    }
}
