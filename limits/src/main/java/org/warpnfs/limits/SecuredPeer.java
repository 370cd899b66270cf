package org.warpnfs.limits;

import java.util.List;

/**
 * An optional interface of a transport that can protect its connections. A program tests {@code call.getTransport()
 * instanceof SecuredPeer}; any other transport is {@link Security#CLEAR}. Safe for any thread.
 */
public interface SecuredPeer {
    /** The protection of the connection now. It begins in clear, and never loses a protection that it has got. */
    Security security();

    /**
     * The protection of a connection.
     *
     * @param names the names of the peer in its verified certificate, each once: those for hosts first, then the common
     *     name; empty unless {@code protection} is {@link Protection#MUTUAL_TLS}
     */
    record Security(Protection protection, List<String> names) {
        public static final Security CLEAR = new Security(Protection.NONE, List.of());

        public Security {
            names = List.copyOf(names);
        }
    }
}
