package org.warpnfs.rpcrdma.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("warpnfs.CallDispatched")
@Label("Call Dispatched")
@Description("A program begins to work on a call")
@Category({"warpnfs", "RPC"})
@StackTrace(false)
@Enabled(false)
final class CallDispatchedEvent extends Event {
    @Label("XID")
    long xid;

    @Label("Requester")
    String requester = "";

    @Label("Program")
    long program;

    @Label("Version")
    long version;

    @Label("Procedure")
    long procedure;
}
