package org.warpnfs.server.rpcbind;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection to the rpcbind of this host with version 4 of its protocol. Not safe for several threads.
 *
 * <p>It uses rpcbind's local socket, where rpcbind knows the user of the caller: an ordinary user may register, and
 * remove his own entries. Without that socket it uses TCP, where only the superuser may register.
 *
 * @spec https://www.rfc-editor.org/rfc/rfc1833#section-2.2.1 RFC 1833, section 2.2.1
 */
public final class RpcbindClient implements Closeable {
    /** The socket of rpcbind on Linux. */
    public static final SocketAddress LOCAL = UnixDomainSocketAddress.of(Path.of("/run/rpcbind.sock"));

    private static final Duration LIMIT = Duration.ofSeconds(3);
    /** The time limit of all calls together; the start of the server and its end wait for them. */
    private static final Duration WHOLE = Duration.ofSeconds(10);

    private static final int PORT = 111;
    private static final int VERSION_4 = 4;
    private static final int SET = 1;
    private static final int UNSET = 2;
    private static final int DUMP = 4;
    private static final int MAX_MAPPINGS = 4096;

    private final RecordExchange exchange;

    private RpcbindClient(RecordExchange exchange) {
        this.exchange = exchange;
    }

    /**
     * Connects.
     *
     * @throws IOException if none runs here
     */
    public static RpcbindClient connect() throws IOException {
        try {
            return connect(LOCAL);
        } catch (IOException local) {
            try {
                return connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT));
            } catch (IOException e) {
                e.addSuppressed(local);
                throw e;
            }
        }
    }

    static RpcbindClient connect(SocketAddress server) throws IOException {
        return new RpcbindClient(RecordExchange.connect(server, LIMIT, WHOLE));
    }

    /**
     * Registers a mapping.
     *
     * @return false if it is registered at another address, or registering is not permitted
     */
    public boolean set(Mapping mapping) throws IOException {
        return call(SET, mapping).bool();
    }

    /**
     * Removes a mapping, with any address.
     *
     * @return false if there was none, or it belongs to another user
     */
    public boolean unset(Mapping mapping) throws IOException {
        return call(UNSET, mapping).bool();
    }

    /** Returns all registrations. */
    public List<Mapping> dump() throws IOException {
        RpcReplyMessage reply = call(new RpcCallMessage(PortmapProgram.PROGRAM, VERSION_4, DUMP));
        List<Mapping> mappings = new ArrayList<>();
        while (reply.bool()) {
            if (mappings.size() >= MAX_MAPPINGS) {
                throw new IOException("it lists more than " + MAX_MAPPINGS + " mappings");
            }
            mappings.add(reply.mapping());
        }
        return mappings;
    }

    private RpcReplyMessage call(int procedure, Mapping mapping) throws IOException {
        return call(new RpcCallMessage(PortmapProgram.PROGRAM, VERSION_4, procedure).mapping(mapping));
    }

    private RpcReplyMessage call(RpcCallMessage call) throws IOException {
        return new RpcReplyMessage(exchange.call(call.toBytes()), call.xid());
    }

    @Override
    public void close() throws IOException {
        exchange.close();
    }
}
