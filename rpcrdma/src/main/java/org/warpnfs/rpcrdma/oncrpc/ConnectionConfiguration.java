package org.warpnfs.rpcrdma.oncrpc;

import java.io.IOException;
import java.util.Optional;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuthError;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcAuthStat;
import org.dcache.oncrpc4j.rpc.RpcAuthType;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.warpnfs.rpcrdma.message.ConfigurationAnswer;
import org.warpnfs.rpcrdma.message.ConfigurationRequest;

/**
 * The connection configuration protocol of RPC-over-RDMA (RFC 5666, section 6; removed in RFC 8166).
 *
 * <pre>
 * CONF_RDMA (1)  arguments                              results
 *            0 | maxcall_sendsize, inline calls     4   maxcall_sendsize, what is accepted
 *            4 | maxreply_sendsize, inline replies  4   align, of receive buffers
 *            8 | maxrdmaread, active at client      4   maxrdmaread, active at server
 * </pre>
 *
 * Procedure 0 is not in the RFC and has an empty result, as in every program. RFC 5666, section 11 requires a security
 * flavor, so AUTH_NONE is rejected as too weak.
 */
public final class ConnectionConfiguration implements RpcDispatchable {
    /** The program {@code rdmaconfig} (RFC 5666, section 12). */
    public static final OncRpcProgram PROGRAM = new OncRpcProgram(100_417, 1);

    private static final int NULL = 0;
    private static final int CONF_RDMA = 1;

    /** XDR's own alignment, because padded calls have no advantage for this responder. */
    private static final int ALIGNMENT_BYTES = 4;

    @Override
    public void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
        switch (call.getProcedure()) {
            case NULL -> call.reply(XdrVoid.XDR_VOID);
            case CONF_RDMA -> configure(call);
            default -> call.failProcedureUnavailable();
        }
    }

    private static void configure(RpcCall call) throws OncRpcException, IOException {
        if (call.getCredential().type() == RpcAuthType.NONE) {
            throw new RpcAuthException("AUTH_NONE", new RpcAuthError(RpcAuthStat.AUTH_TOOWEAK));
        }
        ConfigurationRequest request = new ConfigurationRequest(word(call), word(call), word(call));
        Optional<ConfigurationAnswer> answer = call.getTransport() instanceof ConnectionTransport transport
                ? transport.connection().configure(request)
                : Optional.empty();
        if (answer.isEmpty()) {
            call.failProcedureUnavailable();
        } else {
            call.reply(new Results(answer.get()));
        }
    }

    private static long word(RpcCall call) throws IOException {
        return Integer.toUnsignedLong(call.getXdr().xdrDecodeInt());
    }

    private record Results(ConfigurationAnswer answer) implements XdrAble {
        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            throw new UnsupportedOperationException("results are not decoded here");
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) throws OncRpcException, IOException {
            xdr.xdrEncodeInt(answer.maxCallBytes());
            xdr.xdrEncodeInt(ALIGNMENT_BYTES);
            xdr.xdrEncodeInt(answer.maxReads());
        }
    }
}
