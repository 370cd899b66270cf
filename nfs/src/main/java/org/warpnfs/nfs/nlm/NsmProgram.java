package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/**
 * NSM, the Network Status Monitor, version 1 (X/Open XNFS, chapter 11): clients tell by SM_NOTIFY that they have
 * restarted, and their locks are freed.
 *
 * <p>SM_NOTIFY frees only what calls from its own address have locked, and in exports that demand a privileged port
 * only if it comes from one. The other procedures are for a lock manager on the monitor's own host, which here is part
 * of this server. So they refuse: SM_STAT and SM_MON with STAT_FAIL, and the others change nothing.
 *
 * <h2>Errors</h2>
 *
 * GARBAGE_ARGS, PROC_UNAVAIL, PROG_MISMATCH. Safe for any thread. SM_NOTIFY waits as backends do.
 */
public final class NsmProgram implements RpcDispatchable, LaneProgram {
    public static final int PROGRAM = 100024;
    public static final int VERSION = 1;
    /** Procedures by number. */
    public static final List<String> NAMES =
            List.of("SM_NULL", "SM_STAT", "SM_MON", "SM_UNMON", "SM_UNMON_ALL", "SM_SIMU_CRASH", "SM_NOTIFY");

    static final int SM_STAT = 1;
    static final int SM_MON = 2;
    static final int SM_UNMON = 3;
    static final int SM_UNMON_ALL = 4;
    static final int SM_NOTIFY = 6;
    private static final int STAT_FAIL = 1;

    private static final Logger LOG = LoggerFactory.getLogger(NsmProgram.class);

    private final StatusMonitor monitor;
    private final Restarts restarts;
    private final CallRecorder recorder;
    private final List<OperationMeter> meters;

    NsmProgram(StatusMonitor monitor, Restarts restarts, CallRecorder recorder) {
        this.monitor = monitor;
        this.restarts = restarts;
        this.recorder = recorder;
        this.meters = NAMES.stream()
                .map(name -> recorder.meter(Metered.call("nsm", "1", name)))
                .toList();
    }

    /** SM_NOTIFY releases locks at backends, and removes a record from stable storage. */
    @Override
    public Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
        return procedure == SM_NOTIFY ? Lane.LONG : Lane.SHORT;
    }

    @Override
    public void dispatchOncRpcCall(RpcCall rpc) throws IOException {
        int procedure = rpc.getProcedure();
        if (rpc.getProgramVersion() != VERSION) {
            rpc.failProgramMismatch(VERSION, VERSION);
            return;
        }
        if (procedure < 0 || procedure > SM_NOTIFY) {
            rpc.failProcedureUnavailable();
            return;
        }
        CallTimer timer = CallTimer.begin(recorder, meters.get(procedure), new RpcOrigin(rpc));
        switch (procedure) {
            case SM_STAT, SM_MON -> rpc.reply(new Words(STAT_FAIL, monitor.state()));
            case SM_UNMON, SM_UNMON_ALL -> rpc.reply(new Words(monitor.state()));
            case SM_NOTIFY -> {
                StateArgs args = decoded(rpc);
                if (args == null) {
                    rpc.failRpcGarbage();
                    return;
                }
                restarts.restarted(NlmCaller.of(rpc), args);
                rpc.reply(XdrVoid.XDR_VOID);
            }
            default -> rpc.reply(XdrVoid.XDR_VOID);
        }
        timer.ended("OK");
    }

    private static @Nullable StateArgs decoded(RpcCall rpc) {
        Notified notified = new Notified();
        try {
            rpc.retrieveCall(notified);
            return notified.args;
        } catch (IOException e) {
            LOG.debug("garbage arguments of SM_NOTIFY: {}", e.getMessage());
            return null;
        }
    }

    private static final class Notified implements XdrAble {
        private @Nullable StateArgs args;

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            args = StateArgs.decode(xdr);
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException("a server does not send calls");
        }
    }

    private static final class Words implements XdrAble {
        private final int[] words;

        Words(int... words) {
            this.words = words;
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            for (int word : words) {
                xdr.xdrEncodeInt(word);
            }
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            throw new UnsupportedOperationException("a server does not read replies");
        }
    }
}
