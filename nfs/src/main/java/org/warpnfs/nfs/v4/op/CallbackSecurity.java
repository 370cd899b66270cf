package org.warpnfs.nfs.v4.op;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * callback_sec_parms4 (RFC 8881, section 18.36.1): the credentials that the client accepts in callbacks.
 *
 * <pre>
 *   AUTH_NONE   -
 *   AUTH_SYS    authsys_parms { uint32 stamp, string machinename&lt;255&gt;, uint32 uid, gid, gids&lt;16&gt; }
 *   RPCSEC_GSS  gss_cb_handles4 { service, opaque handle_from_server&lt;&gt;, handle_from_client&lt;&gt; }
 * </pre>
 */
final class CallbackSecurity {
    private static final int MAX_FLAVORS = 16;
    private static final int MAX_MACHINE_NAME_BYTES = 255;
    private static final int MAX_GROUPS = 16;
    private static final int MAX_HANDLE_BYTES = 1024;
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int RPCSEC_GSS = 6;

    private CallbackSecurity() {}

    /** The first one that this server supports, AUTH_SYS before AUTH_NONE; null if there is none. */
    static @Nullable CallbackCredential decode(CompoundReader in) throws Nfs4Exception {
        CallbackCredential chosen = null;
        for (int left = in.count(MAX_FLAVORS); left > 0; left--) {
            switch (in.int32()) {
                case AUTH_NONE -> chosen = chosen == null ? new CallbackCredential.None() : chosen;
                case AUTH_SYS -> {
                    CallbackCredential.Sys system = decodeSystem(in);
                    chosen = chosen instanceof CallbackCredential.Sys ? chosen : system;
                }
                case RPCSEC_GSS -> {
                    in.int32();
                    in.opaque(MAX_HANDLE_BYTES);
                    in.opaque(MAX_HANDLE_BYTES);
                }
                default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
            }
        }
        return chosen;
    }

    private static CallbackCredential.Sys decodeSystem(CompoundReader in) throws Nfs4Exception {
        int stamp = in.int32();
        String machineName = new String(in.opaque(MAX_MACHINE_NAME_BYTES), StandardCharsets.UTF_8);
        int uid = in.int32();
        int gid = in.int32();
        List<Integer> gids = new ArrayList<>();
        for (int left = in.count(MAX_GROUPS); left > 0; left--) {
            gids.add(in.int32());
        }
        return new CallbackCredential.Sys(stamp, machineName, uid, gid, gids);
    }
}
