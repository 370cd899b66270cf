package org.warpnfs.nfs.export;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.security.auth.kerberos.KerberosPrincipal;
import org.dcache.oncrpc4j.rpc.RpcAuth;
import org.dcache.oncrpc4j.rpc.RpcAuthError;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcAuthStat;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.gss.RpcAuthGss;
import org.warpnfs.keys.KeyedHash;

/** The user that a client names in a call, before any squashing. */
public sealed interface Identity {
    /** The most supplementary groups that AUTH_SYS allows (RFC 5531, appendix A). */
    int MAX_GROUPS = 16;

    /** The kind of credential that named the user. */
    Flavor flavor();

    /**
     * AUTH_SYS: user and groups, unsigned 32 bits each.
     *
     * @param isConfigured true if the configuration of this server names them in place of the client
     */
    record SystemUser(long uid, long gid, List<Long> groups, boolean isConfigured) implements Identity {
        public SystemUser {
            groups = List.copyOf(groups);
        }

        /** Makes a user whom the client names. */
        public SystemUser(long uid, long gid, List<Long> groups) {
            this(uid, gid, groups, false);
        }

        @Override
        public int hashCode() {
            return KeyedHash.of(uid << 32 | gid, KeyedHash.ofAny(groups));
        }

        @Override
        public Flavor flavor() {
            return Flavor.SYS;
        }
    }

    /**
     * RPCSEC_GSS: a name for which Kerberos vouches.
     *
     * @param principal with its realm
     */
    record KerberosUser(Flavor flavor, String principal) implements Identity {
        @Override
        public int hashCode() {
            return KeyedHash.of(flavor.hashCode(), KeyedHash.of(principal));
        }
    }

    /** AUTH_NONE: no user. */
    record Anonymous() implements Identity {
        @Override
        public Flavor flavor() {
            return Flavor.NONE;
        }
    }

    /**
     * Decodes the credential of a call.
     *
     * @throws RpcAuthException to be answered with the status in it: AUTH_TOOWEAK for a flavour that is not served
     *     here, AUTH_BADCRED for one that exceeds its own limits
     */
    static Identity of(RpcCall call) throws RpcAuthException {
        RpcAuth credential = call.getCredential();
        if (credential instanceof RpcAuthTypeUnix unix) {
            return systemUser(unix);
        }
        if (credential instanceof RpcAuthTypeNone) {
            return new Anonymous();
        }
        if (credential instanceof RpcAuthGss gss) {
            return kerberosUser(gss);
        }
        throw new RpcAuthException(
                "credential flavour " + credential.type() + " is not served",
                new RpcAuthError(RpcAuthStat.AUTH_TOOWEAK));
    }

    private static KerberosUser kerberosUser(RpcAuthGss gss) throws RpcAuthException {
        Flavor flavor = Flavor.ofService(gss.getService());
        Set<KerberosPrincipal> principals = gss.getSubject().getPrincipals(KerberosPrincipal.class);
        if (flavor == null || principals.size() != 1) {
            throw new RpcAuthException(
                    "a credential of RPCSEC_GSS without a principal, or of service " + gss.getService(),
                    new RpcAuthError(RpcAuthStat.AUTH_BADCRED));
        }
        return new KerberosUser(flavor, principals.iterator().next().getName());
    }

    private static SystemUser systemUser(RpcAuthTypeUnix unix) throws RpcAuthException {
        int[] gids = unix.gids();
        if (gids.length > MAX_GROUPS) {
            throw new RpcAuthException(
                    gids.length + " groups, limit " + MAX_GROUPS, new RpcAuthError(RpcAuthStat.AUTH_BADCRED));
        }
        List<Long> groups = new ArrayList<>(gids.length);
        for (int gid : gids) {
            groups.add(Integer.toUnsignedLong(gid));
        }
        return new SystemUser(Integer.toUnsignedLong(unix.uid()), Integer.toUnsignedLong(unix.gid()), groups);
    }
}
