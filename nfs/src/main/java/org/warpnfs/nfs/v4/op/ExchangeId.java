package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.core.MachineCredential;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * EXCHANGE_ID (RFC 8881, section 18.35).
 *
 * <pre>
 *   client_owner4         eia_clientowner { verifier4, opaque co_ownerid&lt;1024&gt; }
 *   uint32                eia_flags
 *   state_protect4_a      eia_state_protect
 *   nfs_impl_id4          eia_client_impl_id&lt;1&gt;
 * </pre>
 */
final class ExchangeId implements Operation {
    private static final int UPDATE_CONFIRMED_RECORD = 0x4000_0000;
    private static final int CONFIRMED = 0x8000_0000;
    private static final int USE_NON_PNFS = 0x0001_0000;
    private static final int USE_PNFS_MDS = 0x0002_0000;
    /** SUPP_MOVED_REFER, SUPP_MOVED_MIGR, BIND_PRINC_STATEID, the three of pNFS, and the update. */
    private static final int KNOWN_FLAGS =
            0x0000_0001 | 0x0000_0002 | 0x0000_0100 | 0x0007_0000 | UPDATE_CONFIRMED_RECORD;
    /** SUPP_FENCE_OPS (RFC 7862, section 14.1). */
    private static final int KNOWN_FLAGS_OF_42 = 0x0000_0004;

    /** The operations that Linux reserves, and BACKCHANNEL_CTL. EXCHANGE_ID compares principals in any case. */
    private static final Set<OpCode> ENFORCED = EnumSet.of(
            OpCode.EXCHANGE_ID,
            OpCode.BACKCHANNEL_CTL,
            OpCode.BIND_CONN_TO_SESSION,
            OpCode.CREATE_SESSION,
            OpCode.DESTROY_SESSION,
            OpCode.DESTROY_CLIENTID);

    /**
     * Operations without a file. With one, the flavor of the call must be one of the export's, and Linux would send
     * CLOSE with the machine's credential by krb5i whatever those are.
     */
    private static final Set<OpCode> ALLOWED = EnumSet.of(OpCode.TEST_STATEID, OpCode.FREE_STATEID);

    private static final int SP4_NONE = 0;
    private static final int SP4_MACH_CRED = 1;
    private static final int SP4_SSV = 2;
    /** Of one kind, in an offer of SSV. */
    private static final int MAX_ALGORITHMS = 64;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        long verifier = in.int64();
        Opaque owner = Opaque.decode(in);
        int flags = in.int32();
        int protection = in.int32();
        MachineCredential asked =
                switch (protection) {
                    case SP4_NONE -> null;
                    case SP4_MACH_CRED -> decodeMachineCredential(call, in);
                    case SP4_SSV -> throw refusedSsv(in);
                    default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
                };
        skipImplementationId(in);
        int known = call.minorVersion() >= 2 ? KNOWN_FLAGS | KNOWN_FLAGS_OF_42 : KNOWN_FLAGS;
        if ((flags & ~known) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        boolean update = (flags & UPDATE_CONFIRMED_RECORD) != 0;
        ExchangedId id = call.services()
                .state()
                .sessions()
                .exchangeId(call.nowNanos(), owner, verifier, call.calling().sender(), update);
        MachineCredential machine = call.services().state().sessions().protect(id, asked);
        out.int64(id.clientId());
        out.int32(id.sequence());
        boolean isMetadataServer = call.services().dataServers().servers().areUsed();
        out.int32((isMetadataServer ? USE_PNFS_MDS : USE_NON_PNFS) | (id.confirmed() ? CONFIRMED : 0));
        if (machine == null) {
            out.int32(SP4_NONE);
        } else {
            out.int32(SP4_MACH_CRED);
            Bitmap.encode(machine.enforced(), out);
            Bitmap.encode(machine.allowed(), out);
        }
        // server_owner4: the same at every address; then server_scope, in which the server's ids are unique.
        out.int64(0);
        call.services().owner().encode(out);
        call.services().identity().encode(out);
        out.int32(0);
    }

    /**
     * state_protect_ops4, as far as this server enforces and allows it. INVAL unless the call has the credential that
     * the operations are to be reserved for (section 18.35.3).
     */
    private static MachineCredential decodeMachineCredential(CallContext call, CompoundReader in) throws Nfs4Exception {
        BitSet enforced = Bitmap.decode(in);
        BitSet allowed = Bitmap.decode(in);
        if (!call.calling().isProtected()) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        enforced.and(numbers(ENFORCED));
        allowed.and(numbers(ALLOWED));
        return new MachineCredential(enforced, allowed);
    }

    /**
     * Why SP4_SSV is refused (section 18.35.3): INVAL if the client offers no hash or no encryption algorithm, else
     * HASH_ALG_UNSUPP, since this server supports none. No client is known that uses SSV.
     */
    private static Nfs4Exception refusedSsv(CompoundReader in) throws Nfs4Exception {
        Bitmap.decode(in);
        Bitmap.decode(in);
        int hashes = skipAlgorithms(in);
        int ciphers = skipAlgorithms(in);
        if (hashes == 0 || ciphers == 0) {
            return Nfs4Exception.of(Nfs4Status.INVAL);
        }
        return Nfs4Exception.of(Nfs4Status.HASH_ALG_UNSUPP);
    }

    /** The number of sec_oid4, each an opaque of any length. */
    private static int skipAlgorithms(CompoundReader in) throws Nfs4Exception {
        int count = in.count(MAX_ALGORITHMS);
        for (int i = 0; i < count; i++) {
            Opaque.decode(in);
        }
        return count;
    }

    private static BitSet numbers(Set<OpCode> operations) {
        BitSet numbers = new BitSet();
        operations.forEach(operation -> numbers.set(operation.number()));
        return numbers;
    }

    private static void skipImplementationId(CompoundReader in) throws Nfs4Exception {
        if (in.count(1) == 1) {
            Opaque.decode(in);
            Opaque.decode(in);
            in.int64();
            in.int32();
        }
    }
}
