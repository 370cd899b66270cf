package org.warpnfs.rpcrdma.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("warpnfs.ChunksPulled")
@Label("Chunks Pulled")
@Description("From the first RDMA Read of a call to its last byte")
@Category({"warpnfs", "RPC"})
@StackTrace(false)
@Enabled(false)
final class ChunksPulledEvent extends Event {
    @Label("XID")
    long xid;

    @Label("Requester")
    String requester = "";

    @Label("Bytes")
    @DataAmount
    long bytes;
}
