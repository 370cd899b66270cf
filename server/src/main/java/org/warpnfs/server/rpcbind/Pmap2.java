package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.util.Optional;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;

/**
 * The portmapper protocol, version 2: TCP and UDP over IPv4.
 *
 * @spec https://www.rfc-editor.org/rfc/rfc1833#section-3 RFC 1833, section 3
 */
final class Pmap2 implements PortmapVersion {
    private static final int SET = 1;
    private static final int UNSET = 2;
    private static final int GETPORT = 3;
    private static final int DUMP = 4;

    private final Mappings mappings;

    Pmap2(Mappings mappings) {
        this.mappings = mappings;
    }

    @Override
    public @Nullable PortmapAnswer answer(int procedure, RpcCall call) throws IOException {
        return switch (procedure) {
            case SET, UNSET -> PortmapAnswer.refused();
            case GETPORT -> PortmapAnswer.word(port(call));
            case DUMP -> this::encodeAll;
            default -> null;
        };
    }

    /** Returns the port; 0 if there is none. */
    private int port(RpcCall call) throws IOException {
        Pmap asked = new Pmap();
        call.retrieveCall(asked);
        for (Netid netid : Netid.values()) {
            if (netid.portmapProtocol() != 0 && netid.portmapProtocol() == asked.protocol) {
                Optional<Mapping> found = mappings.find(asked.program, asked.version, netid);
                return found.map(Mapping::port).orElse(0);
            }
        }
        return 0;
    }

    private void encodeAll(XdrEncodingStream xdr) {
        for (Mapping mapping : mappings.all()) {
            int protocol = mapping.knownNetid().map(Netid::portmapProtocol).orElse(0);
            if (protocol != 0) {
                xdr.xdrEncodeBoolean(true);
                xdr.xdrEncodeInt(mapping.program());
                xdr.xdrEncodeInt(mapping.version());
                xdr.xdrEncodeInt(protocol);
                xdr.xdrEncodeInt(mapping.port());
            }
        }
        xdr.xdrEncodeBoolean(false);
    }

    /** struct mapping. */
    private static final class Pmap implements XdrAble {
        private int program;
        private int version;
        private int protocol;

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            program = xdr.xdrDecodeInt();
            version = xdr.xdrDecodeInt();
            protocol = xdr.xdrDecodeInt();
            xdr.xdrDecodeInt();
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException("a server does not send calls");
        }
    }
}
