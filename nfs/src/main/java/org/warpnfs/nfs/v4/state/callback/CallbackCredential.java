package org.warpnfs.nfs.v4.state.callback;

import java.util.List;

/** As whom the server calls back: what csa_sec_parms offers and is served here (RFC 8881, section 18.36.3). */
public sealed interface CallbackCredential {
    /** AUTH_NONE. */
    record None() implements CallbackCredential {}

    /**
     * AUTH_SYS, with the values that the client wants to see.
     *
     * @param uid unsigned 32 bits, as {@code gid} and {@code gids}
     */
    record Sys(int stamp, String machineName, int uid, int gid, List<Integer> gids) implements CallbackCredential {
        /**
         * As the server itself, to an NFSv4.0 client, which has not said what it wants to see. Linux' client takes
         * AUTH_NONE for CB_NULL alone.
         */
        static Sys ofServer() {
            return new Sys(0, "warpnfs", 0, 0, List.of());
        }

        public Sys {
            gids = List.copyOf(gids);
        }
    }
}
