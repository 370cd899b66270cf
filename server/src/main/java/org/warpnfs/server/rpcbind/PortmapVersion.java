package org.warpnfs.server.rpcbind;

import java.io.IOException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;

/** A version of the portmapper's program, without its procedure NULL. */
interface PortmapVersion {
    /**
     * Runs a procedure.
     *
     * @return the result; null if there is no such procedure, or it is refused to everyone
     * @throws IOException if the arguments cannot be decoded
     */
    @Nullable
    PortmapAnswer answer(int procedure, RpcCall call) throws IOException;
}
