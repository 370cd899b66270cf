package org.warpnfs.nfs.v4.state.callback;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where an NFSv4.0 client wants to be called back (RFC 7530, section 16.33).
 *
 * @param program cb_program
 * @param socket of the client, on the host that its requests come from
 * @param ident callback_ident, by which the client finds out whose callback it is
 */
public record CallbackAddress(int program, InetSocketAddress socket, int ident) {
    /** Programs that anyone may make up (RFC 5531, section 8.1). */
    private static final int FIRST_TRANSIENT = 0x4000_0000;

    private static final int LAST_TRANSIENT = 0x5fff_ffff;

    /**
     * What SETCLIENTID says. Whoever calls here could name anyone, and the server would call that one: so it has to be
     * the host that the call came from, and none of the programs that have a number of their own.
     *
     * @param from the remote end of the connection that SETCLIENTID came over
     * @return null if there can be no callbacks: no TCP address, a port of 0, that of another host, or no transient
     *     program
     */
    public static @Nullable CallbackAddress of(int program, UniversalAddress claimed, int ident, InetAddress from) {
        if (program < FIRST_TRANSIENT || program > LAST_TRANSIENT) {
            return null;
        }
        InetSocketAddress said = claimed.parse();
        if (said == null || !said.getAddress().equals(from) || from.isAnyLocalAddress() || from.isMulticastAddress()) {
            return null;
        }
        // The connection's own address has the scope that a link-local one needs.
        return new CallbackAddress(program, new InetSocketAddress(from, said.getPort()), ident);
    }
}
