package org.warpnfs.rpcrdma.example;

import java.io.IOException;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrOpaque;
import org.dcache.oncrpc4j.xdr.XdrVoid;

/** What oncrpc4j's generator makes of {@code opaque REVERSE(opaque) = 1}. */
abstract class ReverseServerStub implements RpcDispatchable {
    static final OncRpcProgram PROGRAM = new OncRpcProgram(0x2000_0001, 1);
    static final int REVERSE = 1;

    abstract XdrOpaque reverse(RpcCall call, XdrOpaque text);

    @Override
    public void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
        switch (call.getProcedure()) {
            case 0 -> {
                call.retrieveCall(XdrVoid.XDR_VOID);
                call.reply(XdrVoid.XDR_VOID);
            }
            case REVERSE -> {
                XdrOpaque text = new XdrOpaque(new byte[0]);
                call.retrieveCall(text);
                call.reply(reverse(call, text));
            }
            default -> call.failProcedureUnavailable();
        }
    }
}
