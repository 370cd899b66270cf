package org.warpnfs.nfs.mount;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;
import org.warpnfs.nfs.xdr.BoundedXdr;

/**
 * MOUNT versions 1 to 3 (RFC 1813, appendix I, RFC 1094, appendix A, X/Open XNFS chapter 7): NULL, MNT, DUMP, UMNT,
 * UMNTALL and EXPORT; in version 2 EXPORTALL and PATHCONF too.
 *
 * <p>Versions 1 and 2 serve clients that ask for the exports or report an unmount. Their MNT would have to return a
 * handle of NFS version 2, which is not served, and whose handles have 32 bytes where this server's have up to 64. So
 * it answers EACCES.
 *
 * <p>A call that arrives twice, as one over UDP may, changes nothing the second time.
 *
 * <h2>Errors</h2>
 *
 * The same as {@code Nfs3Program}: GARBAGE_ARGS, PROC_UNAVAIL, PROG_MISMATCH, an authentication error. A defect ends
 * one call with MNT3ERR_SERVERFAULT.
 *
 * <p>Safe for any thread; blocks as the backend does.
 */
public final class MountProgram implements RpcDispatchable, LaneProgram {
    public static final int PROGRAM = 100005;
    public static final int VERSION_1 = 1;
    public static final int VERSION_2 = 2;
    public static final int VERSION_3 = 3;
    /** Procedures by number; the last two are of version 2 alone. */
    public static final List<String> NAMES =
            List.of("NULL", "MNT", "DUMP", "UMNT", "UMNTALL", "EXPORT", "EXPORTALL", "PATHCONF");

    private static final Logger LOG = LoggerFactory.getLogger(MountProgram.class);
    /** Ten seconds: the time of a resolver that has to ask a second server. */
    private static final int LOOKS = 100;

    private static final byte[] ROOT = {'/'};
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int NULL = 0;
    private static final int MNT = 1;
    private static final int DUMP = 2;
    private static final int UMNT = 3;
    private static final int UMNTALL = 4;
    private static final int EXPORT = 5;
    private static final int EXPORTALL = 6;
    private static final int PATHCONF = 7;

    private final ExportTable exports;
    private final NfsHandles handles;
    private final MountTable mounts = new MountTable();
    private final LogLimiter limiter = new LogLimiter();
    private final CallRecorder recorder;
    /** Meters by version, then by procedure number from NULL. */
    private final Map<Integer, List<OperationMeter>> meters;

    /** A program whose calls are not measured. */
    public MountProgram(ExportTable exports, NfsHandles handles) {
        this(exports, handles, CallRecorder.NONE);
    }

    /** @param recorder is told how calls end */
    public MountProgram(ExportTable exports, NfsHandles handles, CallRecorder recorder) {
        this.exports = exports;
        this.handles = handles;
        this.recorder = recorder;
        List<String> namesOfAll = NAMES.subList(NULL, EXPORTALL);
        this.meters = Map.of(
                VERSION_1, meters(recorder, "1", namesOfAll),
                VERSION_2, meters(recorder, "2", NAMES),
                VERSION_3, meters(recorder, "3", namesOfAll));
    }

    private static List<OperationMeter> meters(CallRecorder recorder, String version, List<String> names) {
        return names.stream()
                .map(name -> recorder.meter(Metered.call("mount", version, name)))
                .toList();
    }

    @Override
    public void dispatchOncRpcCall(RpcCall rpc) throws IOException {
        List<OperationMeter> ofVersion = meters.get(rpc.getProgramVersion());
        if (ofVersion == null) {
            rpc.failProgramMismatch(VERSION_1, VERSION_3);
            return;
        }
        int procedure = rpc.getProcedure();
        if (procedure < NULL || procedure >= ofVersion.size()) {
            rpc.failProcedureUnavailable();
            return;
        }
        CallTimer timer = CallTimer.begin(recorder, ofVersion.get(procedure), new RpcOrigin(rpc));
        if (procedure == MNT) {
            mount(rpc, timer);
            return;
        }
        switch (procedure) {
            case DUMP -> rpc.reply(MountReply.mounts(mounts.entries()));
            case UMNT -> unmount(rpc);
            case UMNTALL -> {
                mounts.removeAllOf(clientOf(rpc));
                rpc.reply(XdrVoid.XDR_VOID);
            }
            case EXPORT, EXPORTALL -> rpc.reply(MountReply.exports(exports.exports()));
            case PATHCONF -> pathconf(rpc);
            default -> rpc.reply(XdrVoid.XDR_VOID);
        }
        timer.ended(MountStatus.OK.name());
    }

    private void mount(RpcCall rpc, CallTimer timer) {
        byte[] path = decodePath(rpc);
        if (path == null) {
            return;
        }
        Requester requester;
        try {
            requester = exports.requesterOf(rpc);
        } catch (RpcAuthException e) {
            rpc.reject(e.getStatus(), e.getRpcReply());
            return;
        }
        MountReply reply;
        MountStatus status = MountStatus.OK;
        try {
            if (rpc.getProgramVersion() != VERSION_3) {
                throw new MountException(MountStatus.ACCES);
            }
            Location directory = resolve(rpc, MountPath.of(path), requester);
            reply = MountReply.mounted(handles.encode(directory), flavorsOf(directory, requester));
            mounts.add(new MountTable.Entry(clientOf(rpc), text(path)));
            log("mounts", rpc).ifPresent(more -> LOG.atInfo()
                    .addKeyValue("peer", clientOf(rpc))
                    .addKeyValue("xid", Integer.toHexString(rpc.getXid()))
                    .addKeyValue("cause", "mount")
                    .log("{} mounts {} ({} more like it)", clientOf(rpc), printable(path), more));
        } catch (MountException e) {
            CallLanes repeated = repeated(rpc);
            if (e.isPending() && repeated != null) {
                timer.ended(e.status().name());
                repeated.leave();
                return;
            }
            log("may not mount", rpc).ifPresent(more -> LOG.atInfo()
                    .addKeyValue("fault", "peer")
                    .addKeyValue("peer", clientOf(rpc))
                    .addKeyValue("xid", Integer.toHexString(rpc.getXid()))
                    .addKeyValue("cause", e.status())
                    .log(
                            "{} may not mount {}: {} ({} more like it)",
                            clientOf(rpc),
                            printable(path),
                            e.status(),
                            more));
            status = e.status();
            reply = MountReply.refused(status);
        } catch (RuntimeException e) {
            LOG.error("MNT failed: a defect of this server", e);
            status = MountStatus.SERVERFAULT;
            reply = MountReply.refused(status);
        }
        timer.ended(status.name());
        rpc.reply(reply);
    }

    /** MNT, and PATHCONF of version 2, may have to wait for a name service. */
    @Override
    public Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
        return procedure == MNT || procedure == PATHCONF ? Lane.LONG : Lane.SHORT;
    }

    /**
     * Looks the path up, and repeats that while a name service has not answered who the caller is, since MOUNT has no
     * status that means "try later". Calls over UDP do not wait: such a client repeats its call by itself, and a peer
     * that forges addresses could make every thread wait.
     */
    private Location resolve(RpcCall rpc, MountPath path, Requester requester) throws MountException {
        boolean waits = repeated(rpc) == null;
        for (int looks = 0; ; looks++) {
            try {
                return path.resolve(exports, requester);
            } catch (MountException e) {
                if (!e.isPending() || !waits || looks == LOOKS) {
                    throw e;
                }
            }
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MountException(MountStatus.SERVERFAULT);
            }
        }
    }

    /** The call's lanes if its client repeats the call by itself; null if the client sends the call once and waits. */
    private static @Nullable CallLanes repeated(RpcCall rpc) {
        return rpc.getXdr() instanceof CallLanes lanes && lanes.isRepeated() ? lanes : null;
    }

    private static List<Flavor> flavorsOf(Location directory, Requester requester) throws MountException {
        try {
            return directory.export().flavorsFor(requester.address());
        } catch (FsException e) {
            throw new MountException(MountStatus.of(e.error()));
        }
    }

    /** Asks whether a line may be logged; empty if this client had such a line lately. */
    private OptionalLong log(String outcome, RpcCall rpc) {
        return limiter.admit(outcome, ClientAddress.of(rpc.getTransport().getRemoteSocketAddress()));
    }

    private void pathconf(RpcCall rpc) {
        byte[] path = decodePath(rpc);
        if (path == null) {
            return;
        }
        MountReply reply;
        try {
            Location directory = resolve(rpc, MountPath.of(path), exports.requesterOf(rpc));
            reply = MountReply.pathconf(directory.export().fileSystem().limits());
        } catch (RpcAuthException e) {
            reply = MountReply.noPathconf();
        } catch (MountException e) {
            CallLanes repeated = repeated(rpc);
            if (e.isPending() && repeated != null) {
                repeated.leave();
                return;
            }
            reply = MountReply.noPathconf();
        }
        rpc.reply(reply);
    }

    private void unmount(RpcCall rpc) {
        byte[] path = decodePath(rpc);
        if (path != null) {
            mounts.remove(new MountTable.Entry(clientOf(rpc), text(path)));
            rpc.reply(XdrVoid.XDR_VOID);
        }
    }

    /**
     * The dirpath of MNT and UMNT, or null after the call was answered with GARBAGE_ARGS. An empty one is the root:
     * libnfs asks for it if a file lies there.
     */
    private static byte @Nullable [] decodePath(RpcCall rpc) {
        DirPath path = new DirPath();
        try {
            rpc.retrieveCall(path);
        } catch (IOException e) {
            LOG.debug("garbage arguments of procedure {}: {}", rpc.getProcedure(), e.getMessage());
            rpc.failRpcGarbage();
            return null;
        }
        byte[] bytes = path.bytes;
        return bytes != null && bytes.length == 0 ? ROOT : bytes;
    }

    private static String clientOf(RpcCall rpc) {
        InetAddress address = rpc.getTransport().getRemoteSocketAddress().getAddress();
        return address == null ? "unknown" : address.getHostAddress();
    }

    /** One character per byte, so that no byte is lost. */
    private static String text(byte[] path) {
        return new String(path, StandardCharsets.ISO_8859_1);
    }

    /** The path for the log. Characters that could forge a line of it are replaced. */
    private static String printable(byte[] path) {
        return text(path).replaceAll("[^ -~]", "?");
    }

    private static final class DirPath implements XdrAble {
        private byte @Nullable [] bytes;

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            bytes = BoundedXdr.opaque(xdr, MountPath.MAX_LENGTH_BYTES);
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException("a server does not send calls");
        }
    }
}
