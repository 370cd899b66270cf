package org.warpnfs.nfs.v4.op;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackContext;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * callback_sec_parms4 (RFC 8881, section 18.36.1): the credentials that the client accepts in callbacks.
 *
 * <pre>
 *   AUTH_NONE   -
 *   AUTH_SYS    authsys_parms { uint32 stamp, string machinename&lt;255&gt;, uint32 uid, gid, gids&lt;16&gt; }
 *   RPCSEC_GSS  gss_cb_handles4 { service, opaque handle_from_server&lt;&gt;, handle_from_client&lt;&gt; }
 * </pre>
 */
record CallbackSecurity(List<Handles> handles, CallbackCredential.@Nullable Plain plain) {
    private static final int MAX_FLAVORS = 16;
    private static final int MAX_MACHINE_NAME_BYTES = 255;
    private static final int MAX_GROUPS = 16;
    private static final int MAX_HANDLE_BYTES = 1024;
    /** A session keeps it. Clients make handles of some 16 bytes. */
    private static final int MAX_BACK_HANDLE_BYTES = 128;

    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int RPCSEC_GSS = 6;

    /**
     * gss_cb_handles4.
     *
     * @param fore the handle that the server gave to the client
     * @param back by which the client knows the context
     */
    record Handles(int service, Opaque fore, Opaque back) {}

    /** Decodes the argument, and judges nothing. Of the credentials without keys AUTH_SYS is preferred. */
    static CallbackSecurity decode(CompoundReader in) throws Nfs4Exception {
        List<Handles> handles = new ArrayList<>();
        CallbackCredential.Plain plain = null;
        for (int left = in.count(MAX_FLAVORS); left > 0; left--) {
            switch (in.int32()) {
                case AUTH_NONE -> plain = plain == null ? new CallbackCredential.None() : plain;
                case AUTH_SYS -> {
                    CallbackCredential.Sys system = decodeSystem(in);
                    plain = plain instanceof CallbackCredential.Sys ? plain : system;
                }
                case RPCSEC_GSS -> {
                    int service = in.int32();
                    Opaque fore = Opaque.of(in.opaque(MAX_HANDLE_BYTES));
                    Opaque back = Opaque.of(in.opaque(MAX_BACK_HANDLE_BYTES));
                    if (service < CallbackCredential.Gss.NONE || service > CallbackCredential.Gss.PRIVACY) {
                        throw Nfs4Exception.of(Nfs4Status.BADXDR);
                    }
                    handles.add(new Handles(service, fore, back));
                }
                default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
            }
        }
        return new CallbackSecurity(handles, plain);
    }

    /**
     * What the caller offers for callbacks of a session that it makes. A context that is not there, or is not the
     * caller's and the client's, is passed over: pynfs offers one beside other credentials, and expects a session. So
     * are contexts beyond {@value OfferedCredentials#MAX_CONTEXTS}.
     *
     * @param client null if there is no such client
     * @throws Nfs4Exception NOENT if such a context is all there is
     */
    OfferedCredentials ofNewSession(CallContext call, @Nullable Client client) throws Nfs4Exception {
        boolean isOwner = client == null || isOwner(call, client);
        List<CallbackCredential.Gss> contexts = new ArrayList<>();
        for (Handles offered : handles) {
            CallbackContext context = isOwner ? contextOfCaller(call, offered) : null;
            if (context != null && contexts.size() < OfferedCredentials.MAX_CONTEXTS) {
                contexts.add(new CallbackCredential.Gss(offered.service(), offered.back(), context));
            }
        }
        if (contexts.isEmpty() && plain == null && !handles.isEmpty()) {
            throw Nfs4Exception.of(Nfs4Status.NOENT);
        }
        return new OfferedCredentials(contexts, plain);
    }

    /**
     * What the caller adds to an existing session. A stranger who knows the session must not say who calls its client.
     *
     * @throws Nfs4Exception NOENT if the caller is not the principal that made the client, and as {@link #ofNewSession}
     *     does
     */
    OfferedCredentials ofOwner(CallContext call, Client client) throws Nfs4Exception {
        if (!isOwner(call, client)) {
            throw Nfs4Exception.of(Nfs4Status.NOENT);
        }
        return ofNewSession(call, client);
    }

    private static boolean isOwner(CallContext call, Client client) {
        return client.principal().equals(call.calling().principal());
    }

    private static @Nullable CallbackContext contextOfCaller(CallContext call, Handles offered) {
        CallbackContext context = call.services()
                .state()
                .callbacks()
                .contexts()
                .find(offered.fore().toBytes());
        boolean isCallers = context != null
                && context.owner().equals(call.calling().principal().name());
        return isCallers ? context : null;
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
