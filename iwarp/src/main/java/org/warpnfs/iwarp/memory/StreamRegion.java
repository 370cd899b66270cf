package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;

/** A region of one stream, whose owner thread alone places into it and revokes it: so revoking is a barrier by itself. */
final class StreamRegion extends Region {
    private final RegionTable table;

    StreamRegion(RegionTable table, long stag, ByteBuffer memory, Set<AccessRight> rights) {
        super(stag, memory, rights);
        this.table = table;
    }

    boolean isOf(RegionTable stream) {
        return table == stream;
    }

    @Override
    public boolean peerMayInvalidate() {
        return true;
    }

    @Override
    public void invalidate() {
        table.invalidate(this);
    }
}
