package org.warpnfs.nfs.v4.state.callback;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The address at which an NFSv4.0 client wants to be called back (RFC 7530, section 16.33).
 *
 * @param program cb_program
 * @param socket of the client, on the host that its requests come from
 * @param ident callback_ident, by which the client recognises what the callback is for
 */
public record CallbackAddress(int program, InetSocketAddress socket, int ident) {
    /** The first transient program number, which anyone may choose (RFC 5531, section 8.1). */
    private static final int FIRST_TRANSIENT = 0x4000_0000;

    private static final int LAST_TRANSIENT = 0x5fff_ffff;

    /**
     * Checks the callback address of SETCLIENTID. A peer could name any address and so make the server call a third
     * party. So the address must be on the host that the call came from, and the program number must be a transient
     * one.
     *
     * @param from the remote end of the connection of SETCLIENTID
     * @return null if there can be no callbacks: no TCP address, a port of 0, an address of another host, or no
     *     transient program
     */
    public static @Nullable CallbackAddress of(int program, UniversalAddress claimed, int ident, InetAddress from) {
        if (program < FIRST_TRANSIENT || program > LAST_TRANSIENT) {
            return null;
        }
        InetSocketAddress said = claimed.parse();
        if (said == null || !said.getAddress().equals(from) || from.isAnyLocalAddress() || from.isMulticastAddress()) {
            return null;
        }
        // The connection's own address is used, since it has the scope that a link-local address needs.
        return new CallbackAddress(program, new InetSocketAddress(from, said.getPort()), ident);
    }
}
