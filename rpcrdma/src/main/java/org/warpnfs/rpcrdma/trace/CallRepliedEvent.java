package org.warpnfs.rpcrdma.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("warpnfs.CallReplied")
@Label("Call Replied")
@Description("From the arrival of a call to the moment its reply, or its error, is posted")
@Category({"warpnfs", "RPC"})
@StackTrace(false)
@Enabled(false)
final class CallRepliedEvent extends Event {
    @Label("XID")
    long xid;

    @Label("Requester")
    String requester = "";

    @Label("Kind")
    String kind = "";

    @Label("Inline")
    @DataAmount
    long inlineBytes;

    @Label("Written to Chunks")
    @DataAmount
    long writtenBytes;

    @Label("Credits Granted")
    int creditsGranted;
}
