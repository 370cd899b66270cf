package org.warpnfs.nfs.v4.state.callback;

import java.util.List;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** Credential of the server's calls: one that csa_sec_parms offers (RFC 8881, section 18.36.3). */
public sealed interface CallbackCredential {
    /** One that needs no keys. */
    sealed interface Plain extends CallbackCredential {}

    /** AUTH_NONE. */
    record None() implements Plain {}

    /**
     * AUTH_SYS with the values that the client has asked for.
     *
     * @param uid unsigned 32 bits, as are {@code gid} and {@code gids}
     */
    record Sys(int stamp, String machineName, int uid, int gid, List<Integer> gids) implements Plain {
        /**
         * The server's own credential, for an NFSv4.0 client, which cannot ask for one. Linux clients accept AUTH_NONE
         * for CB_NULL alone, and AUTH_SYS also if they have mounted with Kerberos.
         */
        static Sys ofServer() {
            return new Sys(0, "warpnfs", 0, 0, List.of());
        }

        public Sys {
            gids = List.copyOf(gids);
        }
    }

    /**
     * RPCSEC_GSS.
     *
     * @param service rpc_gss_svc_t
     * @param handle gcbp_handle_from_client, by which the client knows the context
     */
    record Gss(int service, Opaque handle, CallbackContext context) implements CallbackCredential {
        public static final int NONE = 1;
        public static final int INTEGRITY = 2;
        public static final int PRIVACY = 3;
    }
}
