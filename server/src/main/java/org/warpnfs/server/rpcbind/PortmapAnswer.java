package org.warpnfs.server.rpcbind;

import java.io.IOException;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** The result of one procedure. */
@FunctionalInterface
interface PortmapAnswer extends XdrAble {
    @Override
    void xdrEncode(XdrEncodingStream xdr) throws OncRpcException, IOException;

    @Override
    default void xdrDecode(XdrDecodingStream xdr) {
        throw new UnsupportedOperationException("a server does not read replies");
    }

    static PortmapAnswer word(int value) {
        return xdr -> xdr.xdrEncodeInt(value);
    }

    static PortmapAnswer string(String value) {
        return xdr -> xdr.xdrEncodeString(value);
    }

    /** Returns the answer to a call that would change something. */
    static PortmapAnswer refused() {
        return xdr -> xdr.xdrEncodeBoolean(false);
    }
}
