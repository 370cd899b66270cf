package org.warpnfs.rpcrdma.example;

import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrOpaque;

/** The program. */
final class Reverse extends ReverseServerStub {
    @Override
    XdrOpaque reverse(RpcCall call, XdrOpaque text) {
        byte[] bytes = text.getOpaque();
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return new XdrOpaque(reversed);
    }
}
