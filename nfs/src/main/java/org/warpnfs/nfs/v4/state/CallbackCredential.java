package org.warpnfs.nfs.v4.state;

import java.util.List;

/** As whom the server calls back: what csa_sec_parms offers and is served here (RFC 8881 section 18.36.3). */
public sealed interface CallbackCredential {
    /** AUTH_NONE. */
    record None() implements CallbackCredential {}

    /**
     * AUTH_SYS, with the values that the client wants to see.
     *
     * @param uid unsigned 32 bits, as {@code gid} and {@code gids}
     */
    record Sys(int stamp, String machineName, int uid, int gid, List<Integer> gids) implements CallbackCredential {
        public Sys {
            gids = List.copyOf(gids);
        }
    }
}
