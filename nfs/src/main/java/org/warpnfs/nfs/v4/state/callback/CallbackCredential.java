package org.warpnfs.nfs.v4.state.callback;

import java.util.List;

/**
 * Credential of the server's calls: one that csa_sec_parms offers and this server supports (RFC 8881, section 18.36.3).
 */
public sealed interface CallbackCredential {
    /** AUTH_NONE. */
    record None() implements CallbackCredential {}

    /**
     * AUTH_SYS with the values that the client has asked for.
     *
     * @param uid unsigned 32 bits, as are {@code gid} and {@code gids}
     */
    record Sys(int stamp, String machineName, int uid, int gid, List<Integer> gids) implements CallbackCredential {
        /**
         * The server's own credential, for an NFSv4.0 client, which cannot ask for one. Linux clients accept AUTH_NONE
         * for CB_NULL alone.
         */
        static Sys ofServer() {
            return new Sys(0, "warpnfs", 0, 0, List.of());
        }

        public Sys {
            gids = List.copyOf(gids);
        }
    }
}
