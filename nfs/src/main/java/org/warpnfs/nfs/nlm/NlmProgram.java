package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
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
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;

/**
 * NLM, the Network Lock Manager, version 4 (RFC 1813, appendix II): file locks of NFSv3 clients.
 *
 * <h2>Operation</h2>
 *
 * The synchronous procedures answer in their reply. The _MSG procedures reply at once and answer by a call of the _RES
 * procedure to the client's NLM. This server sends only synchronous GRANTED calls, and waits for no lock of others: so
 * what it hears by GRANTED_MSG is denied, and what by a _RES procedure is ignored.
 *
 * <p>A call that arrives twice, as one over UDP may, changes nothing the second time.
 *
 * <h2>Errors</h2>
 *
 * GARBAGE_ARGS, PROC_UNAVAIL, PROG_MISMATCH, an authentication error. A defect ends one call with FAILED.
 *
 * <p>Safe for any thread; blocks as the backend does, and LOCK until the client is remembered on stable storage.
 */
public final class NlmProgram implements RpcDispatchable, LaneProgram {
    public static final int PROGRAM = 100021;
    public static final int VERSION = 4;

    /** Procedures by number; those without a name are not used. */
    public static final List<String> NAMES = List.of(
            "NULL",
            "TEST",
            "LOCK",
            "CANCEL",
            "UNLOCK",
            "GRANTED",
            "TEST_MSG",
            "LOCK_MSG",
            "CANCEL_MSG",
            "UNLOCK_MSG",
            "GRANTED_MSG",
            "TEST_RES",
            "LOCK_RES",
            "CANCEL_RES",
            "UNLOCK_RES",
            "GRANTED_RES",
            "",
            "",
            "",
            "",
            "SHARE",
            "UNSHARE",
            "NM_LOCK",
            "FREE_ALL");

    static final int NULL = 0;
    static final int TEST = 1;
    static final int LOCK = 2;
    static final int CANCEL = 3;
    static final int UNLOCK = 4;
    static final int GRANTED = 5;
    static final int TEST_MSG = 6;
    static final int GRANTED_MSG = 10;
    static final int TEST_RES = 11;
    static final int GRANTED_RES = 15;
    static final int SHARE = 20;
    static final int UNSHARE = 21;
    static final int NM_LOCK = 22;
    static final int FREE_ALL = 23;
    /** From a synchronous procedure to its _MSG form, and from there to its _RES form. */
    private static final int NEXT_FORM = 5;

    private static final Logger LOG = LoggerFactory.getLogger(NlmProgram.class);

    private final NlmProcedures procedures;
    private final PeerCalls calls;
    private final CallRecorder recorder;
    private final List<OperationMeter> meters;

    /**
     * @param calls calls clients
     * @param recorder is told how calls end
     */
    NlmProgram(NlmProcedures procedures, PeerCalls calls, CallRecorder recorder) {
        this.procedures = procedures;
        this.calls = calls;
        this.recorder = recorder;
        this.meters = NAMES.stream()
                .map(name -> recorder.meter(Metered.call("nlm", "4", name)))
                .toList();
    }

    /** LOCK may have to wait for stable storage; the others may have to look at a file, or lock it on the host. */
    @Override
    public Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
        boolean locks = procedure == LOCK || procedure == LOCK + NEXT_FORM || procedure == NM_LOCK;
        return locks ? Lane.LONG : procedure == NULL ? Lane.SHORT : Lane.DATA;
    }

    @Override
    public void dispatchOncRpcCall(RpcCall rpc) throws IOException {
        int procedure = rpc.getProcedure();
        if (rpc.getProgramVersion() != VERSION) {
            rpc.failProgramMismatch(VERSION, VERSION);
            return;
        }
        if (procedure < NULL || procedure > FREE_ALL || NAMES.get(procedure).isEmpty()) {
            rpc.failProcedureUnavailable();
            return;
        }
        CallTimer timer = CallTimer.begin(recorder, meters.get(procedure), new RpcOrigin(rpc));
        if (procedure == NULL || (procedure >= TEST_RES && procedure <= GRANTED_RES)) {
            timer.ended(NlmStatus.GRANTED.name());
            rpc.reply(XdrVoid.XDR_VOID);
            return;
        }
        Asked asked;
        try {
            asked = decoded(rpc, synchronous(procedure));
        } catch (RpcAuthException e) {
            rpc.reject(e.getStatus(), e.getRpcReply());
            return;
        }
        if (asked == null) {
            rpc.failRpcGarbage();
            return;
        }
        NlmReply reply = run(asked);
        timer.ended(reply.status().name());
        answer(rpc, procedure, reply.toBytes(asked.cookie()));
    }

    private static int synchronous(int procedure) {
        return procedure >= TEST_MSG && procedure <= GRANTED_MSG ? procedure - NEXT_FORM : procedure;
    }

    private void answer(RpcCall rpc, int procedure, byte[] result) {
        if (procedure >= TEST_MSG && procedure <= GRANTED_MSG) {
            NlmCaller caller = NlmCaller.of(rpc);
            rpc.reply(XdrVoid.XDR_VOID);
            var _ = calls.answer(new PeerCall(
                            caller.address(),
                            caller.local(),
                            caller.udp(),
                            PROGRAM,
                            VERSION,
                            procedure + NEXT_FORM,
                            PeerCall.Arguments.of(result)))
                    .exceptionally(failure -> {
                        LOG.debug("{} was not told a result: {}", caller.address(), failure.getMessage());
                        return ByteBuffer.allocate(0);
                    });
        } else if (procedure == FREE_ALL) {
            rpc.reply(XdrVoid.XDR_VOID);
        } else {
            rpc.reply(new Encoded(result));
        }
    }

    /** A decoded call that has not run. */
    private record Asked(Netobj cookie, Run run) {}

    @FunctionalInterface
    private interface Run {
        NlmReply now();
    }

    private static NlmReply run(Asked asked) {
        try {
            return asked.run().now();
        } catch (RuntimeException e) {
            LOG.error("an NLM procedure failed: a defect of this server", e);
            return NlmReply.of(NlmStatus.FAILED);
        }
    }

    /** Null if the arguments cannot be decoded. */
    private @Nullable Asked decoded(RpcCall rpc, int procedure) throws RpcAuthException {
        NlmProcedures.Call call = procedures.callOf(rpc);
        Decoded decoded = new Decoded(xdr -> decode(call, procedure, xdr));
        try {
            rpc.retrieveCall(decoded);
            return decoded.asked;
        } catch (IOException e) {
            LOG.debug("garbage arguments of procedure {}: {}", procedure, e.getMessage());
            return null;
        }
    }

    private Asked decode(NlmProcedures.Call call, int procedure, XdrDecodingStream xdr) throws IOException {
        return switch (procedure) {
            case TEST -> {
                TestArgs args = TestArgs.decode(xdr);
                yield new Asked(args.cookie(), () -> procedures.test(call, args));
            }
            case LOCK, NM_LOCK -> {
                LockArgs args = LockArgs.decode(xdr);
                yield new Asked(args.cookie(), () -> procedures.lock(call, args, procedure == LOCK));
            }
            case CANCEL -> {
                CancelArgs args = CancelArgs.decode(xdr);
                yield new Asked(args.cookie(), () -> procedures.cancel(call, args));
            }
            case UNLOCK -> {
                UnlockArgs args = UnlockArgs.decode(xdr);
                yield new Asked(args.cookie(), () -> procedures.unlock(call, args));
            }
            case GRANTED -> {
                TestArgs args = TestArgs.decode(xdr);
                yield new Asked(args.cookie(), () -> NlmReply.of(NlmStatus.DENIED));
            }
            case SHARE, UNSHARE -> {
                ShareArgs args = ShareArgs.decode(xdr);
                yield new Asked(args.cookie(), () -> procedures.share(call, args, procedure == SHARE));
            }
            default -> {
                StateArgs args = StateArgs.decode(xdr);
                yield new Asked(Netobj.EMPTY, () -> procedures.freeAll(call, args));
            }
        };
    }

    @FunctionalInterface
    private interface Decoder {
        Asked decode(XdrDecodingStream xdr) throws IOException;
    }

    /** Decodes the arguments when oncrpc4j asks for them. */
    private static final class Decoded implements XdrAble {
        private final Decoder decoder;
        private @Nullable Asked asked;

        Decoded(Decoder decoder) {
            this.decoder = decoder;
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            asked = decoder.decode(xdr);
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException("a server does not send calls");
        }
    }

    /** A result that is encoded already. */
    private static final class Encoded implements XdrAble {
        private final byte[] bytes;

        Encoded(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            xdr.xdrEncodeOpaque(bytes, 0, bytes.length);
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            throw new UnsupportedOperationException("a server does not read replies");
        }
    }
}
