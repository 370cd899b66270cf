package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/**
 * NFS_ACL version 3: the side program by which Linux and Solaris clients of NFSv3 read and set POSIX access control
 * lists, on their NFSv3 connection. No RFC describes it. This implementation follows what Linux sends and accepts
 * (fs/nfs_common/nfsacl.c, fs/nfs/nfs3acl.c). Nothing in it is DDP-eligible: over RDMA, long lists are sent in a long
 * call and returned in a Reply chunk.
 *
 * <p>Operation and errors are those of {@link Nfs3Program}. It holds no buffers. Safe for any thread; blocks as the
 * backend does.
 */
public final class NfsAclProgram implements RpcDispatchable, LaneProgram {
    public static final int PROGRAM = 100227;
    public static final int VERSION = 3;
    /** Procedures by number. */
    public static final List<String> NAMES = List.of("NULL", "GETACL", "SETACL");

    private static final int NULL = 0;
    private static final int SETACL = 2;

    /** The procedures by number, from GETACL, which is 1. */
    private static final List<Nfs3Procedure<?>> PROCEDURES = List.of(new GetAcl(), new SetAcl());

    private final Nfs3Dispatcher dispatcher;
    private final CallRecorder recorder;
    /** Meters by procedure number, from NULL. */
    private final List<OperationMeter> meters;

    NfsAclProgram(Nfs3Dispatcher dispatcher, CallRecorder recorder) {
        this.dispatcher = dispatcher;
        this.recorder = recorder;
        this.meters = NAMES.stream()
                .map(name -> recorder.meter(Metered.call("nfsacl", "3", name)))
                .toList();
    }

    /** SETACL changes metadata, so it waits for stable storage. */
    @Override
    public Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
        return procedure == SETACL ? Lane.LONG : Lane.SHORT;
    }

    @Override
    public void dispatchOncRpcCall(RpcCall rpc) throws IOException {
        if (rpc.getProgramVersion() != VERSION) {
            rpc.failProgramMismatch(VERSION, VERSION);
        } else if (rpc.getProcedure() == NULL) {
            CallTimer.begin(recorder, meters.get(NULL), new RpcOrigin(rpc)).ended(Nfs3Status.OK.name());
            rpc.reply(XdrVoid.XDR_VOID);
        } else if (rpc.getProcedure() < NULL || rpc.getProcedure() > PROCEDURES.size()) {
            rpc.failProcedureUnavailable();
        } else {
            int procedure = rpc.getProcedure();
            dispatcher.dispatch(rpc, PROCEDURES.get(procedure - 1), meters.get(procedure));
        }
    }
}
