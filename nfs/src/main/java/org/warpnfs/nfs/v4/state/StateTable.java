package org.warpnfs.nfs.v4.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * All state of NFSv4 clients, behind one lock.
 *
 * <h2>Leases</h2>
 *
 * A client whose lease ran out keeps its state for as long as nobody else wants it: when another client's open or lock conflicts
 * with it, when room is needed, or after {@link StateLimits#courtesyLeases} leases it is let go as a whole, and learns that from
 * BADSESSION and STALE_CLIENTID. One that holds nothing is forgotten with its lease.
 *
 * <h2>Errors</h2>
 *
 * Every method answers with the status that the operation of the same name gives. Safe for any thread.
 */
public final class StateTable implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateTable.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final long leaseNanos;
    private final StateLimits limits;
    private final RecoveryLog log;
    private final Grace grace;
    private final ClientTable clients;
    private final FileStates files;
    private long lastSweepNanos;

    /**
     * @param graceNanos how long clients may reclaim after a restart, at most
     * @param nowNanos the clock that every other method is given
     */
    public StateTable(StateLimits limits, long leaseNanos, long graceNanos, RecoveryLog log, long nowNanos) {
        this.limits = limits;
        this.leaseNanos = leaseNanos;
        this.log = log;
        this.grace = new Grace(log, nowNanos, graceNanos);
        this.files = new FileStates(limits, log.instance());
        this.clients = new ClientTable(limits, leaseNanos, grace, log.instance(), this::forget);
        this.lastSweepNanos = nowNanos;
    }

    /** EXCHANGE_ID. */
    public ExchangedId exchangeId(long nowNanos, Opaque owner, long verifier, Principal principal, boolean update)
            throws Nfs4Exception {
        lock.lock();
        try {
            sweepNowAndThen(nowNanos);
            return clients.exchangeId(nowNanos, owner, verifier, principal, update);
        } finally {
            lock.unlock();
        }
    }

    /** CREATE_SESSION; {@code connection} is bound to the session. */
    public CreatedSession createSession(
            long nowNanos,
            Principal principal,
            long clientId,
            int sequence,
            ChannelAttributes fore,
            ChannelAttributes back,
            Object connection)
            throws Nfs4Exception {
        lock.lock();
        try {
            CreatedSession created = clients.createSession(nowNanos, principal, clientId, sequence, fore, back);
            bind(clients.session(created.id()), connection);
            return created;
        } finally {
            lock.unlock();
        }
    }

    /** DESTROY_SESSION. */
    public void destroySession(SessionId id) throws Nfs4Exception {
        lock.lock();
        try {
            clients.destroySession(id);
        } finally {
            lock.unlock();
        }
    }

    /** DESTROY_CLIENTID. */
    public void destroyClient(long clientId) throws Nfs4Exception {
        lock.lock();
        try {
            clients.destroyClient(clientId);
        } finally {
            lock.unlock();
        }
    }

    /** BIND_CONN_TO_SESSION. */
    public void bindConnection(SessionId id, Object connection) throws Nfs4Exception {
        lock.lock();
        try {
            bind(clients.session(id), connection);
        } finally {
            lock.unlock();
        }
    }

    /** The transport tells that a connection is gone. */
    public void connectionClosed(Object connection) {
        lock.lock();
        try {
            clients.connectionClosed(connection);
        } finally {
            lock.unlock();
        }
    }

    private void bind(Session session, Object connection) {
        if (session.connections.size() < limits.maxConnectionsPerSession()) {
            session.connections.add(connection);
        }
    }

    /**
     * SEQUENCE. After {@link SequenceOutcome.Execute} the slot is taken, and the lease runs on, until {@link #endSequence}.
     *
     * @param request what is asked, with a digest
     */
    public SequenceOutcome beginSequence(long nowNanos, SequenceRequest request) throws Nfs4Exception {
        lock.lock();
        try {
            sweepNowAndThen(nowNanos);
            Session session = clients.session(request.sessionId());
            if (request.slotId() >= session.slotCount()) {
                throw Nfs4Exception.of(Nfs4Status.BADSLOT);
            }
            if (request.highestSlotId() >= session.slotCount()) {
                throw Nfs4Exception.of(Nfs4Status.BAD_HIGH_SLOT);
            }
            Slot slot = session.slot((int) request.slotId());
            bind(session, request.connection());
            session.client().renewedNanos = nowNanos;
            if (request.seqid() == slot.seqid && slot.phase != Slot.Phase.FRESH) {
                return replay(session, slot, request);
            }
            if (request.seqid() != slot.seqid + 1 || slot.phase == Slot.Phase.BUSY) {
                throw Nfs4Exception.of(Nfs4Status.SEQ_MISORDERED);
            }
            checkOperations(session, request);
            slot.phase = Slot.Phase.BUSY;
            slot.seqid = request.seqid();
            slot.digest = request.digest();
            slot.principal = request.principal();
            slot.reply = null;
            session.client().requestsUnderWay++;
            return new SequenceOutcome.Execute(session, slot);
        } finally {
            lock.unlock();
        }
    }

    private static void checkOperations(Session session, SequenceRequest request) throws Nfs4Exception {
        if (request.operations() > session.foreChannel().maxOperations()) {
            throw Nfs4Exception.of(Nfs4Status.TOO_MANY_OPS);
        }
    }

    private static SequenceOutcome replay(Session session, Slot slot, SequenceRequest request) throws Nfs4Exception {
        if (slot.digest != request.digest() || !request.principal().equals(slot.principal)) {
            throw Nfs4Exception.of(Nfs4Status.SEQ_FALSE_RETRY);
        }
        if (slot.phase == Slot.Phase.BUSY) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        CachedReply reply = slot.reply;
        return reply == null ? new SequenceOutcome.ReplayUncached(session) : new SequenceOutcome.Replay(session, reply);
    }

    /**
     * The request of a slot has been executed.
     *
     * @param reply to keep for a retry, or null to keep none
     */
    public void endSequence(long nowNanos, SequenceOutcome.Execute execution, @Nullable CachedReply reply) {
        lock.lock();
        try {
            execution.slot().reply = reply;
            execution.slot().phase = Slot.Phase.IDLE;
            Client client = execution.session().client();
            client.requestsUnderWay--;
            client.renewedNanos = nowNanos;
        } finally {
            lock.unlock();
        }
    }

    /** RECLAIM_COMPLETE for all file systems. */
    public void reclaimComplete(Client client) throws Nfs4Exception {
        lock.lock();
        try {
            requirePresent(client);
            if (client.reclaimComplete) {
                throw Nfs4Exception.of(Nfs4Status.COMPLETE_ALREADY);
            }
            client.reclaimComplete = true;
            grace.complete(client.owner());
        } finally {
            lock.unlock();
        }
    }

    public boolean isGraceRunning(long nowNanos) {
        lock.lock();
        try {
            return grace.isRunning(nowNanos);
        } finally {
            lock.unlock();
        }
    }

    /** GRACE while others may still reclaim what the operation could take from them. */
    public void requireNoGrace(long nowNanos) throws Nfs4Exception {
        if (isGraceRunning(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
    }

    private void requireGrace(long nowNanos, Client client, boolean reclaim) throws Nfs4Exception {
        boolean running = grace.isRunning(nowNanos);
        if (!reclaim) {
            if (running || !client.reclaimComplete) {
                throw Nfs4Exception.of(Nfs4Status.GRACE);
            }
            return;
        }
        if (!running || client.reclaimComplete) {
            throw Nfs4Exception.of(Nfs4Status.NO_GRACE);
        }
        if (!client.mayReclaim) {
            throw Nfs4Exception.of(Nfs4Status.RECLAIM_BAD);
        }
    }

    /**
     * The first half of an OPEN, before anything is done to the file: whether it may be, and which of the backend's accesses the
     * open lacks.
     *
     * @return share access bits for which {@link #open} needs a backend file
     */
    public int prepareOpen(long nowNanos, OpenRequest request) throws Nfs4Exception {
        lock.lock();
        try {
            requirePresent(request.client());
            requireGrace(nowNanos, request.client(), request.reclaim());
            expireWhile(nowNanos, () -> files.shareConflict(request), Nfs4Status.SHARE_DENIED);
            return files.missingAccess(request);
        } finally {
            lock.unlock();
        }
    }

    /** GRACE, NO_GRACE or RECLAIM_BAD for an OPEN whose file is not known yet. */
    public void checkGraceForOpen(long nowNanos, Client client, boolean reclaim) throws Nfs4Exception {
        lock.lock();
        try {
            requirePresent(client);
            requireGrace(nowNanos, client, reclaim);
        } finally {
            lock.unlock();
        }
    }

    /** The second half: takes the files over, also when it fails. */
    public Stateid open(long nowNanos, OpenRequest request, @Nullable SharedFile reader, @Nullable SharedFile writer)
            throws Nfs4Exception {
        lock.lock();
        try {
            requirePresent(request.client());
            requireGrace(nowNanos, request.client(), request.reclaim());
            expireWhile(nowNanos, () -> files.shareConflict(request), Nfs4Status.SHARE_DENIED);
            if (!files.hasRoom(request) && !(clients.removeOldestExpired(nowNanos) && files.hasRoom(request))) {
                throw Nfs4Exception.of(Nfs4Status.DELAY);
            }
            record(request.client());
            Stateid stateid = files.open(request, reader, writer);
            reader = null;
            writer = null;
            return stateid;
        } finally {
            lock.unlock();
            if (reader != null) {
                reader.release();
            }
            if (writer != null) {
                writer.release();
            }
        }
    }

    /** OPEN_DOWNGRADE. */
    public Stateid downgrade(Client client, FileKey file, Stateid stateid, int access, int deny) throws Nfs4Exception {
        lock.lock();
        try {
            return files.downgrade(client, file, stateid, access, deny);
        } finally {
            lock.unlock();
        }
    }

    /** CLOSE: the open's locks go with it. */
    public void close(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        lock.lock();
        try {
            files.close(client, file, stateid);
        } finally {
            lock.unlock();
        }
    }

    /** LOCK. */
    public Stateid lock(long nowNanos, Client client, LockRequest request) throws Nfs4Exception {
        lock.lock();
        try {
            requirePresent(client);
            requireGrace(nowNanos, client, request.reclaim());
            OpenState open = files.openForLock(client, request);
            expireWhile(nowNanos, () -> files.lockHolder(client, open, request), Nfs4Status.DENIED);
            return files.lock(open, request);
        } finally {
            lock.unlock();
        }
    }

    /** LOCKT: DENIED if the range could not be locked now. */
    public void testLock(long nowNanos, Client client, FileKey file, Opaque owner, boolean exclusive, ByteRange range)
            throws Nfs4Exception {
        lock.lock();
        try {
            if (grace.isRunning(nowNanos)) {
                throw Nfs4Exception.of(Nfs4Status.GRACE);
            }
            expireWhile(
                    nowNanos,
                    () -> files.conflictingLock(file, new LockOwner(client, owner), exclusive, range),
                    Nfs4Status.DENIED);
        } finally {
            lock.unlock();
        }
    }

    /** LOCKU. */
    public Stateid unlock(Client client, FileKey file, Stateid stateid, ByteRange range) throws Nfs4Exception {
        lock.lock();
        try {
            return files.unlock(client, file, stateid, range);
        } finally {
            lock.unlock();
        }
    }

    /** TEST_STATEID: the status of one. */
    public Nfs4Status testStateid(Client client, Stateid stateid) {
        lock.lock();
        try {
            if (stateid.isSpecial()) {
                return Nfs4Status.BAD_STATEID;
            }
            files.find(client, stateid);
            return Nfs4Status.OK;
        } catch (Nfs4Exception e) {
            return e.status();
        } finally {
            lock.unlock();
        }
    }

    /** FREE_STATEID. */
    public void freeStateid(Client client, Stateid stateid) throws Nfs4Exception {
        lock.lock();
        try {
            files.free(client, stateid);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Leave to read. An open for writing alone brings no file but passes: a client that caches may read what it is going to write
     * (RFC 8881 section 18.22.3).
     */
    public IoGrant grantRead(long nowNanos, Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        lock.lock();
        try {
            if (stateid.isAnonymous()) {
                boolean bypass = stateid.equals(Stateid.READ_BYPASS);
                anonymous(nowNanos, file, bypass ? 0 : OpenRequest.READ);
                return new IoGrant(null);
            }
            OpenState open = files.find(client, file, stateid).open();
            SharedFile shared = open.reader;
            return new IoGrant(shared == null ? null : shared.hold());
        } finally {
            lock.unlock();
        }
    }

    /** Leave to write: OPENMODE from an open that is not for writing. */
    public IoGrant grantWrite(long nowNanos, Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        lock.lock();
        try {
            if (stateid.isAnonymous()) {
                anonymous(nowNanos, file, OpenRequest.WRITE);
                return new IoGrant(null);
            }
            OpenState open = files.find(client, file, stateid).open();
            SharedFile shared = open.writer;
            if ((open.access & OpenRequest.WRITE) == 0 || shared == null) {
                throw Nfs4Exception.of(Nfs4Status.OPENMODE);
            }
            return new IoGrant(shared.hold());
        } finally {
            lock.unlock();
        }
    }

    /** Some open of the file that can write, or none: COMMIT names no stateid. */
    public IoGrant anyWriter(FileKey file) {
        lock.lock();
        try {
            SharedFile shared = files.anyWriter(file);
            return new IoGrant(shared == null ? null : shared.hold());
        } finally {
            lock.unlock();
        }
    }

    private void anonymous(long nowNanos, FileKey file, int access) throws Nfs4Exception {
        if (grace.isRunning(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
        expireWhile(nowNanos, () -> files.denied(file, access), Nfs4Status.LOCKED);
    }

    /** As long as a client without a lease stands in the way it is let go; one that has its lease is the answer. */
    private void expireWhile(long nowNanos, Obstacle obstacle, Nfs4Status status) throws Nfs4Exception {
        for (Conflict conflict = obstacle.find(); conflict != null; conflict = obstacle.find()) {
            if (!conflict.holder().isExpired(nowNanos, leaseNanos)) {
                throw conflict.lock() == null ? Nfs4Exception.of(status) : new LockDenied(conflict.lock());
            }
            clients.remove(conflict.holder());
        }
    }

    @FunctionalInterface
    private interface Obstacle {
        @Nullable
        Conflict find() throws Nfs4Exception;
    }

    /** The journal has to know a client before it is given its first state. */
    private void record(Client client) throws Nfs4Exception {
        if (client.recorded) {
            return;
        }
        try {
            log.add(client.owner());
        } catch (IOException e) {
            LOG.error("The NFSv4 recovery log cannot be written: no new client can open files", e);
            throw Nfs4Exception.of(Nfs4Status.IO);
        }
        client.recorded = true;
    }

    private static void requirePresent(Client client) throws Nfs4Exception {
        if (client.gone) {
            throw Nfs4Exception.of(Nfs4Status.DEADSESSION);
        }
    }

    private void forget(Client client) {
        files.forget(client);
        if (!client.recorded) {
            return;
        }
        try {
            log.remove(client.owner());
        } catch (IOException e) {
            LOG.warn("A client that is gone stays in the NFSv4 recovery log", e);
        }
    }

    private void sweepNowAndThen(long nowNanos) {
        if (nowNanos - lastSweepNanos > leaseNanos / 4) {
            lastSweepNanos = nowNanos;
            grace.isRunning(nowNanos);
            clients.sweep(nowNanos);
        }
    }

    /** Clients, sessions, opens: for people and metrics. */
    public Counts counts() {
        lock.lock();
        try {
            return new Counts(
                    clients.clientCount(),
                    clients.sessionCount(),
                    files.openCount(),
                    files.lockCount(),
                    files.stateCount());
        } finally {
            lock.unlock();
        }
    }

    /** How much is remembered now. */
    public record Counts(int clients, int sessions, int opens, int locks, int stateids) {}

    /** Closes every file; what the journal says stays. */
    @Override
    public void close() {
        lock.lock();
        try {
            List<OpenState> all = new ArrayList<>(files.allOpens());
            all.forEach(OpenState::releaseFiles);
            log.close();
        } finally {
            lock.unlock();
        }
    }
}
