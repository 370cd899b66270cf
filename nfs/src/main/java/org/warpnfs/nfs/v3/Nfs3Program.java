package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;
import org.warpnfs.payload.PayloadPool;

/**
 * NFS version 3 (RFC 1813): all 22 procedures.
 *
 * <h2>Operation</h2>
 *
 * A call's arguments are decoded in whole before anything is done. Then its procedure runs on the calling thread, and
 * the reply is on its way when {@link #dispatchOncRpcCall} returns; but for a call that is already being done, which is
 * answered along with the first. Calls that must not be done twice are answered from a {@link ReplyCache} when they are
 * repeated.
 *
 * <h2>Buffers</h2>
 *
 * READ data come from the payload pool; while it is used up, READ waits for its turn and holds no thread. WRITE data
 * are the transport's.
 *
 * <h2>Errors</h2>
 *
 * What cannot be decoded is answered with GARBAGE_ARGS, an unknown procedure with PROC_UNAVAIL, a credential that is
 * not served with an authentication error. A bug in a procedure or a backend ends that one call with SERVERFAULT and a
 * line in the log.
 *
 * <p>Safe for any thread; blocks as the backend does.
 */
public final class Nfs3Program implements RpcDispatchable, LaneProgram {
    public static final int PROGRAM = 100003;
    public static final int VERSION = 3;

    private static final int NULL = 0;

    /** By number, from GETATTR, which is 1. */
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

    /** The procedures by number, from NULL, as RFC 1813 names them. */
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

    /** A program that nobody measures. */
    public Nfs3Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool payloads,
            Nfs3Options options,
            FileChanges fileChanges,
            ReplyCache replies) {
        this(exports, handles, payloads, options, fileChanges, replies, CallRecorder.NONE);
    }

    /**
     * @param fileChanges what stands between NFSv3 changes and what clients of other versions rely on
     * @param replies one for all programs of a server
     * @param recorder hears how calls end
     */
    public Nfs3Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool payloads,
            Nfs3Options options,
            FileChanges fileChanges,
            ReplyCache replies,
            CallRecorder recorder) {
        this(new Nfs3Server(exports, handles, payloads, options, fileChanges, replies), recorder);
    }

    Nfs3Program(Nfs3Server server) {
        this(server, CallRecorder.NONE);
    }

    Nfs3Program(Nfs3Server server, CallRecorder recorder) {
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

    /** The program that Linux clients ask for access control lists, over the same files. */
    public NfsAclProgram aclProgram() {
        return new NfsAclProgram(dispatcher, recorder);
    }

    @Override
    public Lane laneOf(int procedure, ByteBuffer arguments) {
        return Nfs3Lanes.of(procedure, arguments);
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
