package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.SessionId;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/** BIND_CONN_TO_SESSION (RFC 8881 section 18.34): to the fore channel, the only one there is. */
final class BindConnToSession implements Operation {
    private static final int FORE = 1;
    private static final int BACK = 2;
    private static final int FORE_OR_BOTH = 3;
    private static final int BACK_OR_BOTH = 7;

    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception {
        SessionId id = SessionId.decode(in);
        int direction = in.int32();
        in.bool();
        if (direction != FORE && direction != FORE_OR_BOTH) {
            boolean known = direction == BACK || direction == BACK_OR_BOTH;
            throw Nfs4Exception.of(known ? Nfs4Status.INVAL : Nfs4Status.BADXDR);
        }
        call.services().state().bindConnection(id, call.connection());
        id.encode(out);
        out.int32(FORE);
        out.bool(false);
    }
}
