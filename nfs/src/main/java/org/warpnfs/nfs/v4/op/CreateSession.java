package org.warpnfs.nfs.v4.op;

import java.util.Optional;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.client.CreatedSession;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * CREATE_SESSION (RFC 8881, section 18.36). Of the flags, CONN_BACK_CHAN is granted. PERSIST is not, since replies are
 * kept in memory. CONN_RDMA is not, since a connection cannot change to RDMA.
 *
 * <pre>
 *   clientid4            csa_clientid
 *   sequenceid4          csa_sequence
 *   uint32               csa_flags
 *   channel_attrs4       csa_fore_chan_attrs, csa_back_chan_attrs
 *   uint32               csa_cb_program
 *   callback_sec_parms4  csa_sec_parms&lt;&gt;
 * </pre>
 */
final class CreateSession implements Operation {
    private static final int KNOWN_FLAGS = 7;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception {
        long clientId = in.int64();
        int sequence = in.int32();
        int flags = in.int32();
        ChannelAttributes fore = ChannelAttributes.decode(in);
        ChannelAttributes back = ChannelAttributes.decode(in);
        int program = in.int32();
        CallbackSecurity offer = CallbackSecurity.decode(in);
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        Optional<Client> client = call.services().state().sessions().clientOf(clientId);
        if (client.isPresent()) {
            call.calling().requireMachineCredential(client.get(), OpCode.CREATE_SESSION);
        }
        // A repetition gets the reply that is kept. Its contexts may have ended since.
        boolean isRepeated = call.services().state().sessions().isCreated(clientId, sequence);
        OfferedCredentials credentials =
                isRepeated ? OfferedCredentials.NONE : offer.ofNewSession(call, client.orElse(null));
        boolean wanted = (flags & CreatedSession.CONN_BACK_CHAN) != 0;
        CreatedSession created = call.services()
                .state()
                .sessions()
                .createSession(
                        call.nowNanos(),
                        call.calling().principal(),
                        clientId,
                        sequence,
                        fore,
                        new CallbackParameters(wanted, program, credentials, back, call.minorVersion()),
                        call.calling().connection());
        call.calling().connectionBound();
        created.id().encode(out);
        out.int32(created.sequence());
        out.int32(created.flags());
        created.foreChannel().encode(out);
        created.backChannel().encode(out);
    }
}
