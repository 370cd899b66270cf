package org.warpnfs.server.rpcbind;

import java.io.IOException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A portmapper for the programs of this server only: versions 2, 3 and 4.
 *
 * <h2>Errors</h2>
 *
 * SET and UNSET are answered with FALSE, whoever calls. CALLIT, BCAST and INDIRECT, which would make this host call
 * other programs for somebody else, are PROC_UNAVAIL, and so are the conversions of addresses. Safe for any thread; a
 * call may be executed twice.
 */
final class PortmapProgram implements RpcDispatchable {
    static final int PROGRAM = 100_000;
    static final int LOWEST_VERSION = 2;
    static final int HIGHEST_VERSION = 4;
    /** SET and UNSET are 1 and 2 in every version. */
    private static final int UNSET = 2;

    private static final Logger LOG = LoggerFactory.getLogger(PortmapProgram.class);

    private final PortmapVersion version2;
    private final PortmapVersion version3;
    private final PortmapVersion version4;
    private final PortmapCounts counts;

    /**
     * @param protocol the transport of the calls, {@code tcp} or {@code udp}
     * @param counts the counters of all transports
     */
    PortmapProgram(String protocol, Mappings mappings, PortmapCounts counts) {
        this.version2 = new Pmap2(mappings);
        this.version3 = new Rpcb(3, protocol, mappings, counts, System::currentTimeMillis);
        this.version4 = new Rpcb(4, protocol, mappings, counts, System::currentTimeMillis);
        this.counts = counts;
    }

    @Override
    public void dispatchOncRpcCall(RpcCall call) throws IOException {
        int version = call.getProgramVersion();
        if (version < LOWEST_VERSION || version > HIGHEST_VERSION) {
            call.failProgramMismatch(LOWEST_VERSION, HIGHEST_VERSION);
            return;
        }
        int procedure = call.getProcedure();
        counts.count(version, procedure);
        if (procedure == 0) {
            call.reply(XdrVoid.XDR_VOID);
            return;
        }
        PortmapAnswer answer;
        try {
            answer = (version == 2 ? version2 : version == 3 ? version3 : version4).answer(procedure, call);
        } catch (IOException e) {
            LOG.debug("garbage arguments of procedure {}: {}", procedure, e.getMessage());
            call.failRpcGarbage();
            return;
        }
        if (answer == null || procedure <= UNSET) {
            counts.countRefused();
        }
        if (answer == null) {
            call.failProcedureUnavailable();
        } else {
            call.reply(answer);
        }
    }
}
