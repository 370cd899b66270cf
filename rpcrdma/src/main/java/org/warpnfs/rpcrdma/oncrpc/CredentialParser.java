package org.warpnfs.rpcrdma.oncrpc;

import java.util.Arrays;
import javax.security.auth.kerberos.KerberosPrincipal;
import org.dcache.oncrpc4j.rpc.RpcAuth;
import org.dcache.oncrpc4j.rpc.RpcAuthError;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcAuthStat;
import org.dcache.oncrpc4j.rpc.RpcAuthType;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcAuthVerifier;
import org.dcache.oncrpc4j.rpc.gss.RpcAuthGss;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.gss.GssCaller;

/**
 * Parses the credentials and verifiers of a connection's calls (RFC 5531, sections 8.2 and 10).
 *
 * <p>Successive calls of one user share one credential, because a connection's calls are mostly those of one user. For
 * any thread.
 *
 * <p>It is stricter than oncrpc4j, which accepts a machine name and a list of groups of any length, does not compare
 * them with the credential's length, and repeats the peer's verifier in the reply. Here a credential has at most 400
 * bytes, and its contents must have exactly its length. The reply has an empty AUTH_NONE verifier, because a Linux
 * client places READ data according to the length of that verifier.
 */
final class CredentialParser {
    /** The limit of RFC 5531, section 8.2. */
    private static final int MAX_BODY_BYTES = 400;

    /** The limit of RFC 5531, appendix A. */
    private static final int MAX_MACHINE_NAME_BYTES = 255;

    /** The limit of RFC 5531, appendix A. */
    private static final int MAX_GIDS = 16;

    private volatile @Nullable RpcAuthTypeUnix last;

    /**
     * Reads credential and verifier, and leaves the stream at the arguments.
     *
     * @throws RpcAuthException if they have a flavor other than AUTH_NONE or AUTH_SYS, or break its rules
     * @throws BadXdrOncRpcException if the message ends before they do
     */
    RpcAuth parse(DecodingXdr xdr) throws RpcAuthException, BadXdrOncRpcException {
        int flavor = xdr.xdrDecodeInt();
        int bodyBytes = xdr.xdrDecodeInt();
        if (bodyBytes < 0 || bodyBytes > MAX_BODY_BYTES) {
            throw denied(
                    RpcAuthStat.AUTH_BADCRED,
                    "credential of " + Integer.toUnsignedString(bodyBytes) + " bytes, limit " + MAX_BODY_BYTES);
        }
        RpcAuth credential =
                switch (flavor) {
                    case RpcAuthType.NONE -> none(xdr, bodyBytes);
                    case RpcAuthType.UNIX -> unix(xdr, bodyBytes);
                    default ->
                        throw denied(
                                RpcAuthStat.AUTH_BADCRED,
                                "credential of flavor " + Integer.toUnsignedString(flavor)
                                        + ", not AUTH_NONE or AUTH_SYS");
                };
        int verifierFlavor = xdr.xdrDecodeInt();
        int verifierBytes = xdr.xdrDecodeInt();
        if (verifierFlavor != RpcAuthType.NONE || verifierBytes != 0) {
            throw denied(RpcAuthStat.AUTH_BADVERF, "verifier is not an empty AUTH_NONE");
        }
        begin(xdr, 0);
        return credential;
    }

    /** Skips credential and verifier of a call whose sender was verified, and leaves the stream at the arguments. */
    static RpcAuth verified(DecodingXdr xdr, GssCaller caller) throws BadXdrOncRpcException {
        for (int item = 0; item < 2; item++) {
            xdr.xdrDecodeInt();
            xdr.skipCounted(xdr.xdrDecodeInt());
        }
        RpcAuthGss credential = new RpcAuthGss();
        credential.setVersion(1);
        credential.setService(caller.service().code());
        credential.setVerifier(new RpcAuthVerifier(RpcAuthType.RPCGSS_SEC, caller.replyVerifier()));
        credential.getSubject().getPrincipals().add(new KerberosPrincipal(caller.principal()));
        return credential;
    }

    private static RpcAuth none(DecodingXdr xdr, int bodyBytes) throws RpcAuthException, BadXdrOncRpcException {
        if (bodyBytes != 0) {
            throw denied(RpcAuthStat.AUTH_BADCRED, "AUTH_NONE with a body");
        }
        begin(xdr, 0);
        return new RpcAuthTypeNone();
    }

    private RpcAuth unix(DecodingXdr xdr, int bodyBytes) throws RpcAuthException, BadXdrOncRpcException {
        begin(xdr, bodyBytes);
        int begin = xdr.stream().position();
        int stamp = xdr.xdrDecodeInt();
        int machineNameBytes = xdr.xdrDecodeInt();
        if (machineNameBytes < 0 || machineNameBytes > MAX_MACHINE_NAME_BYTES) {
            throw denied(
                    RpcAuthStat.AUTH_BADCRED,
                    "machine name of " + Integer.toUnsignedString(machineNameBytes) + " bytes, limit "
                            + MAX_MACHINE_NAME_BYTES);
        }
        // The machine name identifies nobody, so it is not logged and not used for any decision.
        xdr.skipCounted(machineNameBytes);
        int uid = xdr.xdrDecodeInt();
        int gid = xdr.xdrDecodeInt();
        int count = xdr.xdrDecodeInt();
        if (count < 0 || count > MAX_GIDS) {
            throw denied(
                    RpcAuthStat.AUTH_BADCRED,
                    Integer.toUnsignedString(count) + " supplementary groups, limit " + MAX_GIDS);
        }
        int[] gids = xdr.xdrDecodeIntFixedVector(count);
        if (xdr.stream().position() - begin != bodyBytes) {
            throw denied(RpcAuthStat.AUTH_BADCRED, "AUTH_SYS whose contents do not have its length");
        }
        return unix(uid, gid, gids, stamp);
    }

    private RpcAuth unix(int uid, int gid, int[] gids, int stamp) {
        RpcAuthTypeUnix same = last;
        if (same != null && same.uid() == uid && same.gid() == gid && Arrays.equals(same.gids(), gids)) {
            return same;
        }
        RpcAuthTypeUnix credential = new RpcAuthTypeUnix(uid, gid, gids, stamp, "");
        // Several calls may have it, and on several threads.
        credential.getSubject().setReadOnly();
        last = credential;
        return credential;
    }

    /** Begins the body, which is a counted item like any other: RDMA_MSGP may have padding before it. */
    private static void begin(DecodingXdr xdr, int bodyBytes) throws RpcAuthException {
        if (!xdr.stream().beginCounted(bodyBytes)) {
            throw denied(RpcAuthStat.AUTH_BADCRED, "credential or verifier in a chunk, or beyond the message");
        }
    }

    private static RpcAuthException denied(int status, String detail) {
        return new RpcAuthException(detail, new RpcAuthError(status));
    }
}
