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
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/**
 * NFS version 3 (RFC 1813): all 22 procedures.
 *
 * <h2>Operation</h2>
 *
 * All arguments of a call are decoded before anything is done. Then the procedure runs on the calling thread, and its
 * reply has been sent to the transport when {@link #dispatchOncRpcCall} returns. There are two exceptions: a repetition
 * of a call in progress is answered together with the first, and a READ may wait for memory. Repetitions of calls that
 * must not be performed twice are answered from a {@link ReplyCache}.
 *
 * <h2>Buffers</h2>
 *
 * READ data come from the payload pool. While it is used up, READ waits for its turn and holds no thread. WRITE data
 * are the transport's.
 *
 * <h2>Errors</h2>
 *
 * Arguments that cannot be decoded are answered with GARBAGE_ARGS, an unknown procedure with PROC_UNAVAIL, and a
 * credential that is not served with an authentication error. A defect in a procedure or a backend ends that one call
 * with SERVERFAULT and a line in the log.
 *
 * <p>Safe for any thread; blocks as the backend does.
 */
public final class Nfs3Program implements RpcDispatchable, LaneProgram {
    public static final int PROGRAM = 100003;
    public static final int VERSION = 3;

    private static final int NULL = 0;

    /** The procedures by number, from GETATTR, which is 1. */
    private static final List<Nfs3Procedure<?>> PROCEDURES = List.of(
            new GetAttr(),
            new SetAttr(),
            new Lookup(),
            new Access(),
            new ReadLink(),
            new Read(),
            new Write(),
            new Create(),
            new MakeDirectory(),
            new MakeSymlink(),
            new MakeNode(),
            Remove.FILE,
            Remove.DIRECTORY,
            new Rename(),
            new Link(),
            ReadDir.PLAIN,
            ReadDir.PLUS,
            FsQuery.FSSTAT,
            FsQuery.FSINFO,
            FsQuery.PATHCONF,
            new Commit());

    /** The names of the procedures in RFC 1813, by number from NULL. */
    public static final List<String> NAMES = List.of(
            "NULL",
            "GETATTR",
            "SETATTR",
            "LOOKUP",
            "ACCESS",
            "READLINK",
            "READ",
            "WRITE",
            "CREATE",
            "MKDIR",
            "SYMLINK",
            "MKNOD",
            "REMOVE",
            "RMDIR",
            "RENAME",
            "LINK",
            "READDIR",
            "READDIRPLUS",
            "FSSTAT",
            "FSINFO",
            "PATHCONF",
            "COMMIT");

    private final Nfs3Dispatcher dispatcher;
    private final CallRecorder recorder;
    private final List<OperationMeter> meters;

    /** A program whose calls are not measured. */
    public Nfs3Program(Nfs3Server server) {
        this(server, CallRecorder.NONE);
    }

    /**
     * @param recorder is told how calls end
     * @throws IllegalArgumentException if the pool lends less than the longest transfer takes
     */
    public Nfs3Program(Nfs3Server server, CallRecorder recorder) {
        if (server.options().maxTransferBytes() > server.payloads().maxLengthBytes()) {
            throw new IllegalArgumentException(
                    "transfers of " + server.options().maxTransferBytes() + " bytes from a pool that lends at most "
                            + server.payloads().maxLengthBytes());
        }
        this.dispatcher = new Nfs3Dispatcher(server, recorder);
        this.recorder = recorder;
        this.meters = NAMES.stream()
                .map(name -> recorder.meter(Metered.call("nfs", "3", name)))
                .toList();
    }

    /** The NFS_ACL program for the same files, which Linux clients use for access control lists. */
    public NfsAclProgram aclProgram() {
        return new NfsAclProgram(dispatcher, recorder);
    }

    @Override
    public Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
        return Nfs3Lanes.of(procedure, arguments, dispatcher.mayWaitForNames() ? Lane.SHORT : earliest);
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
