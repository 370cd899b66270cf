package org.warpnfs.nfs.v4.state;

import static org.warpnfs.nfs.v4.state.SmallState.NO_WISH;
import static org.warpnfs.nfs.v4.state.SmallState.ROOT;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;

import java.util.List;
import java.util.function.LongSupplier;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.client.CachedReply;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.SequenceRequest;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.LockRequest;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.OpenedFile;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Clients with sessions that use a state table: they register, send requests, open and lock. The clock is the test's.
 */
final class SessionClients {
    private static final ChannelAttributes CHANNEL = new ChannelAttributes(65536, 65536, 4096, 8, 4);

    private final StateTable table;
    private final LongSupplier clock;
    private final ChannelAttributes channel;
    private final CallbackParameters callbacks;

    /** Clients with small sessions without callbacks. */
    SessionClients(StateTable table, LongSupplier clock) {
        this(table, clock, CHANNEL);
    }

    SessionClients(StateTable table, LongSupplier clock, ChannelAttributes channel) {
        this(
                table,
                clock,
                channel,
                new CallbackParameters(false, 0, new OfferedCredentials(List.of(), null), channel, 1));
    }

    SessionClients(StateTable table, LongSupplier clock, ChannelAttributes channel, CallbackParameters callbacks) {
        this.table = table;
        this.clock = clock;
        this.channel = channel;
        this.callbacks = callbacks;
    }

    ExchangedId exchangeId(String owner) throws Nfs4Exception {
        return exchangeId(owner, 1, ClientAddress.NONE);
    }

    ExchangedId exchangeId(String owner, long verifier, ClientAddress address) throws Nfs4Exception {
        return table.sessions()
                .exchangeId(clock.getAsLong(), opaque(owner), verifier, new Sender(ROOT, address), false);
    }

    SessionId createSession(ExchangedId id) throws Nfs4Exception {
        return createSession(id, new Object());
    }

    SessionId createSession(ExchangedId id, Object connection) throws Nfs4Exception {
        return table.sessions()
                .createSession(clock.getAsLong(), ROOT, id.clientId(), id.sequence(), channel, callbacks, connection)
                .id();
    }

    SessionId connect(String owner) throws Nfs4Exception {
        return connect(owner, ClientAddress.NONE);
    }

    /** Creates another session. A new client also sends RECLAIM_COMPLETE, as the first request of slot 0. */
    SessionId connect(String owner, ClientAddress address) throws Nfs4Exception {
        ExchangedId id = exchangeId(owner, 1, address);
        SessionId session = createSession(id);
        if (!id.confirmed()) {
            table.sessions().reclaimComplete(client(session, 1));
        }
        return session;
    }

    static SequenceRequest request(SessionId session, int slot, int seqid, boolean cacheThis, Object connection) {
        return new SequenceRequest(session, seqid, slot, slot, 2, cacheThis, 92, 42, ROOT, connection);
    }

    static SequenceRequest request(SessionId session, int slot, int seqid, boolean cacheThis) {
        return request(session, slot, seqid, cacheThis, new Object());
    }

    SequenceOutcome begin(SequenceRequest request) throws Nfs4Exception {
        return table.sessions().beginSequence(clock.getAsLong(), request);
    }

    void end(SequenceOutcome begun, CachedReply reply) {
        table.sessions().endSequence(clock.getAsLong(), (SequenceOutcome.Execute) begun, reply);
    }

    /** Runs one request from its begin to its end; the reply is null if none is kept. */
    Session run(SequenceRequest request, CachedReply reply) throws Nfs4Exception {
        SequenceOutcome begun = begin(request);
        end(begun, reply);
        return begun.session();
    }

    /** The client of a session, found by a request in slot 0. */
    Client client(SessionId session, int seqid) throws Nfs4Exception {
        return run(request(session, 0, seqid, false), null).client();
    }

    /** Opens a file by the owner "o". The file records only whether it has been closed. */
    Stateid open(Client client, int file, int access) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque("o"), file(file), access, 0, false);
        return open(request, new NoFile());
    }

    Stateid open(OpenRequest request, NoFile opened) throws Nfs4Exception {
        return open(request, NO_WISH, opened).stateid();
    }

    OpenedFile open(OpenRequest request, DelegationWant wish, NoFile opened) throws Nfs4Exception {
        table.opens().prepareOpen(clock.getAsLong(), request);
        SharedFile shared = new SharedFile(opened);
        SharedFile reader = (request.access() & OpenRequest.READ) != 0 ? shared : null;
        SharedFile writer =
                (request.access() & OpenRequest.WRITE) == 0 ? null : reader == null ? shared : shared.hold();
        return table.opens().open(clock.getAsLong(), request, wish, reader, writer);
    }

    /** Locks one byte for writing, for an owner that is new to the open. */
    Stateid lock(Client client, int file, Stateid open, String owner, long offset) throws Nfs4Exception {
        LockRequest request =
                new LockRequest(file(file), true, ByteRange.of(offset, 1).orElseThrow(), false, open, opaque(owner));
        try {
            return table.locks().lock(clock.getAsLong(), client, request);
        } catch (FsException e) {
            throw new AssertionError("no backend has its locks", e);
        }
    }
}
