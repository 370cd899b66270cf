package org.warpnfs.nfs.v3;

import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** A procedure's result: the status, and the body that the RFC defines for it. */
record Nfs3Reply(Nfs3Status status, Body body) implements XdrAble, AutoCloseable {
    static Nfs3Reply ok(Body body) {
        return new Nfs3Reply(Nfs3Status.OK, body);
    }

    @Override
    public void xdrEncode(XdrEncodingStream xdr) {
        xdr.xdrEncodeInt(status.code());
        body.encode(xdr);
    }

    @Override
    public void xdrDecode(XdrDecodingStream xdr) {
        throw new UnsupportedOperationException("a server does not read replies");
    }

    /** Releases what was not encoded. */
    @Override
    public void close() {
        body.close();
    }

    /** The part after the status. */
    @FunctionalInterface
    interface Body {
        /** An empty body. */
        Body VOID = xdr -> {};

        void encode(XdrEncodingStream xdr);

        /** Called after the reply was encoded, or could not be. Releases what encoding did not pass on. */
        default void close() {}
    }
}
