package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.v4.state.SessionStates.Directions;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** BIND_CONN_TO_SESSION (RFC 8881, section 18.34). Binds those of the requested channels that can be bound. */
final class BindConnToSession implements Operation {
    /** channel_dir_from_client4. */
    private static final int FORE = 1;

    private static final int BACK = 2;
    private static final int FORE_OR_BOTH = 3;
    private static final int BACK_OR_BOTH = 7;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        SessionId id = SessionId.decode(in);
        Directions asked =
                switch (in.int32()) {
                    case FORE -> new Directions(true, false);
                    case BACK -> new Directions(false, true);
                    case FORE_OR_BOTH, BACK_OR_BOTH -> new Directions(true, true);
                    default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
                };
        in.bool();
        call.calling()
                .requireMachineCredential(call.services().state().sessions().clientOf(id), OpCode.BIND_CONN_TO_SESSION);
        Directions bound = call.services()
                .state()
                .sessions()
                .bindConnection(id, call.calling().connection(), asked);
        call.calling().connectionBound();
        id.encode(out);
        // channel_dir_from_server4: FORE 1, BACK 2, BOTH 3
        out.int32((bound.fore() ? FORE : 0) | (bound.back() ? BACK : 0));
        out.bool(false);
    }
}
