package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of rpcbind, versions 3 and 4, which names transports by netid.
 *
 * <p>A wildcard address is answered with the address that received the call. Unlike rpcbind's, GETADDR uses the netid
 * of its argument, and that of the call only if the argument has none: a client that mounts over RDMA calls over TCP.
 *
 * @spec https://www.rfc-editor.org/rfc/rfc1833#section-2.2 RFC 1833, section 2.2
 */
final class Rpcb implements PortmapVersion {
    private static final int VERSION_4 = 4;
    private static final int SET = 1;
    private static final int UNSET = 2;
    private static final int GETADDR = 3;
    private static final int DUMP = 4;
    private static final int GETTIME = 6;
    private static final int GETVERSADDR = 9;
    private static final int GETADDRLIST = 11;
    private static final int GETSTAT = 12;

    private final int version;
    private final String protocol;
    private final Mappings mappings;
    private final PortmapCounts counts;
    private final LongSupplier clock;

    /**
     * @param version 3 or 4
     * @param protocol the transport of the calls, {@code tcp} or {@code udp}
     * @param clock milliseconds since 1970
     */
    Rpcb(int version, String protocol, Mappings mappings, PortmapCounts counts, LongSupplier clock) {
        this.version = version;
        this.protocol = protocol;
        this.mappings = mappings;
        this.counts = counts;
        this.clock = clock;
    }

    @Override
    public @Nullable PortmapAnswer answer(int procedure, RpcCall call) throws IOException {
        return switch (procedure) {
            case SET, UNSET -> PortmapAnswer.refused();
            case GETADDR -> PortmapAnswer.string(address(call, false));
            case DUMP -> this::encodeAll;
            case GETTIME -> PortmapAnswer.word((int) (clock.getAsLong() / 1000));
            case GETVERSADDR -> version == VERSION_4 ? PortmapAnswer.string(address(call, true)) : null;
            case GETADDRLIST -> version == VERSION_4 ? addresses(call) : null;
            case GETSTAT -> version == VERSION_4 ? counts::encode : null;
            default -> null;
        };
    }

    /** Returns the universal address; empty if there is none. */
    private String address(RpcCall call, boolean ofThisVersion) throws IOException {
        RpcbArgument asked = new RpcbArgument();
        call.retrieveCall(asked);
        Netid netid = Netid.parse(asked.netid).orElse(arrival(call));
        Optional<Mapping> found = ofThisVersion
                ? mappings.findExactly(asked.program, asked.version, netid)
                : mappings.find(asked.program, asked.version, netid);
        return found.map(mapping -> merged(mapping, call)).orElse("");
    }

    private Netid arrival(RpcCall call) {
        return Netid.of(
                protocol,
                call.getTransport().getRemoteSocketAddress().getAddress().getAddress().length != 4);
    }

    /** mergeaddr: returns the address at which the caller reaches the program. */
    private static String merged(Mapping mapping, RpcCall call) {
        Optional<InetSocketAddress> known = UniversalAddress.parse(mapping.address());
        InetAddress asked = call.getTransport().getLocalSocketAddress().getAddress();
        if (known.isEmpty()
                || !known.get().getAddress().isAnyLocalAddress()
                || known.get().getAddress().getAddress().length != asked.getAddress().length) {
            return mapping.address();
        }
        return UniversalAddress.of(asked, known.get().getPort());
    }

    /** rpcb_entry_list: the entries of the caller's address family, like rpcbind. */
    private PortmapAnswer addresses(RpcCall call) throws IOException {
        RpcbArgument asked = new RpcbArgument();
        call.retrieveCall(asked);
        boolean ipv6 = arrival(call).isIpv6();
        List<Mapping> found = mappings.all().stream()
                .filter(mapping -> mapping.program() == asked.program && mapping.version() == asked.version)
                .toList();
        return xdr -> {
            for (Mapping mapping : found) {
                Netid netid = mapping.knownNetid().orElseThrow();
                if (netid.isIpv6() == ipv6) {
                    xdr.xdrEncodeBoolean(true);
                    xdr.xdrEncodeString(merged(mapping, call));
                    xdr.xdrEncodeString(netid.id());
                    xdr.xdrEncodeInt(netid.semantics());
                    xdr.xdrEncodeString(netid.family());
                    xdr.xdrEncodeString(netid.protocol());
                }
            }
            xdr.xdrEncodeBoolean(false);
        };
    }

    /** rpcblist. */
    private void encodeAll(XdrEncodingStream xdr) {
        for (Mapping mapping : mappings.all()) {
            xdr.xdrEncodeBoolean(true);
            xdr.xdrEncodeInt(mapping.program());
            xdr.xdrEncodeInt(mapping.version());
            xdr.xdrEncodeString(mapping.netid());
            xdr.xdrEncodeString(mapping.address());
            xdr.xdrEncodeString(mapping.owner());
        }
        xdr.xdrEncodeBoolean(false);
    }

    /** struct rpcb. For strings the transport allocates only what has arrived. */
    private static final class RpcbArgument implements XdrAble {
        private int program;
        private int version;
        private String netid = "";

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            program = xdr.xdrDecodeInt();
            version = xdr.xdrDecodeInt();
            netid = xdr.xdrDecodeString();
            // The caller's own address and the owner are skipped.
            xdr.xdrDecodeString();
            xdr.xdrDecodeString();
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException("a server does not send calls");
        }
    }
}
