package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A call to a program of a client.
 *
 * @param host the client
 * @param from the address of this server that the client knows; null for any
 * @param udp true if the client calls by UDP; the other transport is tried if the program is not registered for this
 * @param arguments encoded
 */
public record PeerCall(
        InetAddress host,
        @Nullable InetAddress from,
        boolean udp,
        int program,
        int version,
        int procedure,
        Arguments arguments) {
    /** Encoded arguments. */
    public static final class Arguments {
        private final byte[] bytes;

        private Arguments(byte[] bytes) {
            this.bytes = bytes;
        }

        public static Arguments of(byte[] bytes) {
            return new Arguments(bytes.clone());
        }

        public byte[] toBytes() {
            return bytes.clone();
        }
    }
}
