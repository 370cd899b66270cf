package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.ChannelAttributes;
import org.warpnfs.nfs.v4.state.CreatedSession;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/**
 * CREATE_SESSION (RFC 8881 section 18.36). None of the flags is granted: PERSIST since replies are kept in memory, CONN_BACK_CHAN since there
 * are no callbacks, CONN_RDMA since a connection does not change what it is.
 */
final class CreateSession implements Operation {
    private static final int KNOWN_FLAGS = 7;

    @Override
    public void execute(CallContext call, XdrReader in, XdrWriter out) throws Nfs4Exception {
        long clientId = in.int64();
        int sequence = in.int32();
        int flags = in.int32();
        ChannelAttributes fore = ChannelAttributes.decode(in);
        ChannelAttributes back = ChannelAttributes.decode(in);
        in.int32();
        CallbackSecurity.skip(in);
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        CreatedSession created = call.services()
                .state()
                .createSession(call.nowNanos(), call.principal(), clientId, sequence, fore, back, call.connection());
        created.id().encode(out);
        out.int32(created.sequence());
        out.int32(created.flags());
        created.foreChannel().encode(out);
        created.backChannel().encode(out);
    }
}
