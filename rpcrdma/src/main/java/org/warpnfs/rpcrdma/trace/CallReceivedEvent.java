package org.warpnfs.rpcrdma.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("warpnfs.CallReceived")
@Label("Call Received")
@Description("The message that begins a call has arrived")
@Category({"warpnfs", "RPC"})
@StackTrace(false)
@Enabled(false)
final class CallReceivedEvent extends Event {
    @Label("XID")
    long xid;

    @Label("Requester")
    String requester = "";

    @Label("Inline")
    @DataAmount
    long inlineBytes;

    @Label("In Read Chunks")
    @DataAmount
    long readChunkBytes;

    @Label("Room in Write Chunks")
    @DataAmount
    long writeChunkBytes;

    @Label("Room in the Reply Chunk")
    @DataAmount
    long replyChunkBytes;
}
