package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Opens with their share reservations, and byte-range locks, by file and by stateid (RFC 8881 section 9). Guarded by the lock of
 * {@link StateTable}.
 */
final class FileStates {
    private final StateLimits limits;
    private final OwnerTable owners;
    private final int instance;
    private final Map<FileKey, FileState> files = new HashMap<>();
    private final Map<Long, StateEntry> states = new HashMap<>();
    /** How many opens can write to a file, whatever the export. */
    private final Map<FileHandle, Integer> writers = new HashMap<>();

    private int openCount;
    private int lockCount;
    private int lockStateCount;
    private long lastNumber;

    FileStates(StateLimits limits, int instance, OwnerTable owners) {
        this.limits = limits;
        this.owners = owners;
        this.instance = instance;
    }

    /**
     * The state that a stateid names for this client; BAD_STATEID if none, DELEG_REVOKED if it was taken back, OLD_STATEID if it
     * has moved on.
     */
    StateEntry find(Client client, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = entry(client, stateid);
        if (entry instanceof DelegationState delegation && delegation.isRevoked()) {
            throw Nfs4Exception.of(Nfs4Status.DELEG_REVOKED);
        }
        boolean whichever = stateid.seqid() == 0 && !client.isSessionless();
        if (!whichever && stateid.seqid() != entry.seqid()) {
            boolean old = stateid.seqid() - entry.seqid() < 0;
            throw Nfs4Exception.of(old ? Nfs4Status.OLD_STATEID : Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    /** As {@link #find(Client, Stateid)}, whatever its seqid, and also what was revoked. */
    StateEntry entry(Client client, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = stateid.instance() == instance ? states.get(stateid.number()) : null;
        if (entry == null || entry.client() != client) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    /** As {@link #find(Client, Stateid)}, and it has to be of that file, and confirmed where that is asked for. */
    StateEntry find(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        StateEntry entry = find(client, stateid);
        boolean unconfirmed = entry instanceof OpenState open && open.stateOwner != null && !open.stateOwner.confirmed;
        if (unconfirmed || !entry.key().equals(file)) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry;
    }

    private OpenState findOpen(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (find(client, file, stateid) instanceof OpenState open) {
            return open;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    private LockState findLock(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (find(client, file, stateid) instanceof LockState lockState) {
            return lockState;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    @Nullable
    Conflict shareConflict(OpenRequest request) {
        FileState file = files.get(request.file());
        if (file == null) {
            return null;
        }
        for (OpenState open : file.opens) {
            boolean own = open.client == request.client() && open.owner.equals(request.owner());
            if (!own && ((open.deny & request.access()) != 0 || (open.access & request.deny()) != 0)) {
                return new Conflict(open.client, null);
            }
        }
        return null;
    }

    /** An open that denies anonymous I/O. */
    @Nullable
    Conflict denied(FileKey key, int access) {
        FileState file = files.get(key);
        if (file == null) {
            return null;
        }
        for (OpenState open : file.opens) {
            if ((open.deny & access) != 0) {
                return new Conflict(open.client, null);
            }
        }
        return null;
    }

    int missingAccess(OpenRequest request) {
        OpenState open = request.client().opens.get(new Client.OpenKey(request.owner(), request.file()));
        if (open == null) {
            return request.access();
        }
        int has = (open.reader != null ? OpenRequest.READ : 0) | (open.writer != null ? OpenRequest.WRITE : 0);
        return request.access() & ~has;
    }

    boolean hasRoom(OpenRequest request) {
        Client client = request.client();
        return client.opens.containsKey(new Client.OpenKey(request.owner(), request.file()))
                || (client.opens.size() < limits.maxOpensPerClient() && openCount < limits.maxOpens());
    }

    Stateid open(OpenRequest request, @Nullable SharedFile reader, @Nullable SharedFile writer) throws Nfs4Exception {
        Client.OpenKey key = new Client.OpenKey(request.owner(), request.file());
        OpenState open = request.client().opens.get(key);
        int given = (reader != null ? OpenRequest.READ : 0) | (writer != null ? OpenRequest.WRITE : 0);
        if ((missingAccess(request) & ~given) != 0) {
            // The same owner closed the file between the two halves.
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        if (open == null) {
            FileState file = files.computeIfAbsent(request.file(), FileState::new);
            open = new OpenState(request.client(), request.owner(), file, ++lastNumber);
            open.stateOwner = owners.entered(StateOwner.Kind.OPEN, request.client(), request.owner());
            file.opens.add(open);
            request.client().opens.put(key, open);
            states.put(open.number, open);
            openCount++;
        } else {
            open.seqid = OpenState.nextSeqid(open.seqid);
        }
        open.reader = keepFirst(open.reader, reader);
        open.writer = keepFirst(open.writer, writer);
        if ((request.access() & ~open.access & OpenRequest.WRITE) != 0) {
            writers.merge(request.file().handle(), 1, Integer::sum);
        }
        open.access |= request.access();
        open.deny |= request.deny();
        open.accessSeen |= 1 << request.access();
        open.denySeen |= 1 << request.deny();
        return stateid(open);
    }

    private static @Nullable SharedFile keepFirst(@Nullable SharedFile held, @Nullable SharedFile given) {
        if (held != null && given != null) {
            given.release();
        }
        return held != null ? held : given;
    }

    Stateid downgrade(Client client, FileKey file, Stateid stateid, int access, int deny) throws Nfs4Exception {
        OpenState open = findOpen(client, file, stateid);
        if (access == 0
                || !isUnionOf(access, open.accessSeen)
                || (deny != 0 && !isUnionOf(deny, open.denySeen))
                || (access & ~open.access) != 0
                || (deny & ~open.deny) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        if ((open.access & ~access & OpenRequest.WRITE) != 0) {
            removeWriter(open);
        }
        open.access = access;
        open.deny = deny;
        open.accessSeen = subsetsOf(access, open.accessSeen);
        open.denySeen = subsetsOf(deny, open.denySeen);
        if ((access & OpenRequest.WRITE) == 0 && open.writer != null) {
            open.writer.release();
            open.writer = null;
        }
        if ((access & OpenRequest.READ) == 0 && open.reader != null) {
            open.reader.release();
            open.reader = null;
        }
        open.seqid = OpenState.nextSeqid(open.seqid);
        return stateid(open);
    }

    private static boolean isUnionOf(int bits, int seen) {
        int union = 0;
        for (int mode = 1; mode <= OpenRequest.BOTH; mode++) {
            if ((seen >> mode & 1) != 0 && (mode & ~bits) == 0) {
                union |= mode;
            }
        }
        return union == bits;
    }

    private static int subsetsOf(int bits, int seen) {
        int rest = 0;
        for (int mode = 0; mode <= OpenRequest.BOTH; mode++) {
            if ((seen >> mode & 1) != 0 && (mode & ~bits) == 0) {
                rest |= 1 << mode;
            }
        }
        return rest;
    }

    /** Closes an open; what its stateid has become means nothing any more. */
    Stateid close(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        OpenState open = findOpen(client, file, stateid);
        remove(open);
        owners.closed(open.stateOwner, open.number);
        return stateid(open).withSeqid(OpenState.nextSeqid(open.seqid));
    }

    /** OPEN_CONFIRM: BAD_STATEID if there is nothing to confirm. */
    Stateid confirm(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (find(client, stateid) instanceof OpenState open
                && open.key().equals(file)
                && open.stateOwner != null
                && !open.stateOwner.confirmed) {
            open.stateOwner.confirmed = true;
            open.seqid = OpenState.nextSeqid(open.seqid);
            return stateid(open);
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /** All that an owner has open. */
    void closeAllOf(StateOwner owner) {
        for (OpenState open : List.copyOf(owner.client.opens.values())) {
            if (open.stateOwner == owner) {
                remove(open);
            }
        }
    }

    /**
     * Whose turn a request of NFSv4.0 is that names a state; null if there is none.
     *
     * @throws Nfs4Exception STALE_STATEID if it is of an earlier instance of the server
     */
    @Nullable
    StateOwner ownerOf(Stateid stateid) throws Nfs4Exception {
        return switch (entryOfThisInstance(stateid)) {
            case OpenState open -> open.stateOwner;
            case LockState lockState -> lockState.stateOwner;
            case DelegationState _ -> null;
            case null -> null;
        };
    }

    /** The NFSv4.0 client that a stateid is of: BAD_STATEID if none, STALE_STATEID as {@link #ownerOf}. */
    Client clientOf(Stateid stateid) throws Nfs4Exception {
        StateEntry entry = entryOfThisInstance(stateid);
        if (entry == null || !entry.client().isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return entry.client();
    }

    private @Nullable StateEntry entryOfThisInstance(Stateid stateid) throws Nfs4Exception {
        if (stateid.isSpecial()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        if (stateid.instance() != instance) {
            throw Nfs4Exception.of(Nfs4Status.STALE_STATEID);
        }
        return states.get(stateid.number());
    }

    /** RELEASE_LOCKOWNER: LOCKS_HELD while it holds any. */
    void releaseLockOwner(Client client, Opaque name) throws Nfs4Exception {
        List<LockState> all = new ArrayList<>(1);
        for (OpenState open : client.opens.values()) {
            LockState lockState = open.locks.get(name);
            if (lockState != null) {
                if (open.file.locks.holds(lockState.owner)) {
                    throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
                }
                all.add(lockState);
            }
        }
        all.forEach(this::remove);
    }

    private void remove(LockState lockState) {
        lockState.open.locks.remove(lockState.owner.owner());
        states.remove(lockState.number);
        lockStateCount--;
        owners.left(lockState.stateOwner);
    }

    private void remove(OpenState open) {
        int before = open.file.locks.size();
        for (LockState lockState : open.locks.values()) {
            open.file.locks.unlockAll(lockState.owner);
            states.remove(lockState.number);
            owners.left(lockState.stateOwner);
        }
        lockCount -= before - open.file.locks.size();
        lockStateCount -= open.locks.size();
        open.locks.clear();
        open.file.opens.remove(open);
        if (open.file.opens.isEmpty()) {
            files.remove(open.file.key);
        }
        if ((open.access & OpenRequest.WRITE) != 0) {
            removeWriter(open);
        }
        open.client.opens.remove(new Client.OpenKey(open.owner, open.file.key));
        states.remove(open.number);
        openCount--;
        owners.left(open.stateOwner);
        open.releaseFiles();
    }

    private void removeWriter(OpenState open) {
        writers.computeIfPresent(open.file.key.handle(), (_, opens) -> opens == 1 ? null : opens - 1);
    }

    /** True if some open can write to the file. */
    boolean hasWriter(FileHandle file) {
        return writers.containsKey(file);
    }

    /** The file that an open reads from; null if there is no such open or it does not read. */
    @Nullable
    SharedFile readerOf(OpenRequest request) {
        OpenState open = request.client().opens.get(new Client.OpenKey(request.owner(), request.file()));
        return open == null ? null : open.reader;
    }

    /** For a state that is kept elsewhere and found here. */
    Stateid nextStateid() {
        return new Stateid(1, instance, ++lastNumber);
    }

    void enter(DelegationState delegation) {
        states.put(delegation.number(), delegation);
    }

    void leave(DelegationState delegation) {
        states.remove(delegation.number());
    }

    void forget(Client client) {
        new ArrayList<>(client.opens.values()).forEach(this::remove);
    }

    /** The open below which a LOCK happens: OPENMODE if it does not cover the kind of lock. */
    OpenState openForLock(Client client, LockRequest request) throws Nfs4Exception {
        OpenState open = request.newOwner() != null
                ? findOpen(client, request.file(), request.stateid())
                : findLock(client, request.file(), request.stateid()).open;
        int needed = request.exclusive() ? OpenRequest.WRITE : OpenRequest.READ;
        if ((open.access & needed) == 0) {
            throw Nfs4Exception.of(Nfs4Status.OPENMODE);
        }
        return open;
    }

    @Nullable
    Conflict lockHolder(Client client, OpenState open, LockRequest request) throws Nfs4Exception {
        Opaque owner = request.newOwner();
        LockOwner locker = owner != null
                ? new LockOwner(client, owner)
                : findLock(client, request.file(), request.stateid()).owner;
        return conflictingLock(open.file.key, locker, request.exclusive(), request.range());
    }

    @Nullable
    Conflict conflictingLock(FileKey key, LockOwner owner, boolean exclusive, ByteRange range) {
        FileState file = files.get(key);
        ByteRangeLocks.Held<LockOwner> holder = file == null ? null : file.locks.conflict(owner, exclusive, range);
        return holder == null ? null : new Conflict(holder.owner().client(), holder);
    }

    Stateid lock(OpenState open, LockRequest request) throws Nfs4Exception {
        // A lock may split two others in the worst case.
        if (open.file.locks.size() + 2 > limits.maxLocksPerFile() || lockCount + 2 > limits.maxLocks()) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        Opaque owner = request.newOwner();
        LockState lockState =
                owner == null ? findLock(open.client, request.file(), request.stateid()) : lockStateOf(open, owner);
        int before = open.file.locks.size();
        open.file.locks.lock(lockState.owner, request.exclusive(), request.range());
        lockCount += open.file.locks.size() - before;
        lockState.seqid = OpenState.nextSeqid(lockState.seqid);
        return stateid(lockState);
    }

    private LockState lockStateOf(OpenState open, Opaque owner) throws Nfs4Exception {
        LockState lockState = open.locks.get(owner);
        if (lockState == null) {
            if (open.locks.size() >= limits.maxLockOwnersPerOpen() || lockStateCount >= limits.maxLocks()) {
                throw Nfs4Exception.of(Nfs4Status.DELAY);
            }
            lockState =
                    new LockState(open, owner, ++lastNumber, owners.entered(StateOwner.Kind.LOCK, open.client, owner));
            open.locks.put(owner, lockState);
            states.put(lockState.number, lockState);
            lockStateCount++;
        }
        return lockState;
    }

    Stateid unlock(Client client, FileKey file, Stateid stateid, ByteRange range) throws Nfs4Exception {
        LockState lockState = findLock(client, file, stateid);
        // Taking a piece out of the middle makes two of one; twice the limit leaves those who only give back in peace.
        if (lockState.file().locks.size() >= 2 * limits.maxLocksPerFile()) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        int before = lockState.file().locks.size();
        lockState.file().locks.unlock(lockState.owner, range);
        lockCount += lockState.file().locks.size() - before;
        lockState.seqid = OpenState.nextSeqid(lockState.seqid);
        return stateid(lockState);
    }

    void free(Client client, Stateid stateid) throws Nfs4Exception {
        switch (find(client, stateid)) {
            case DelegationState delegation -> throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
            case OpenState open -> throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
            case LockState lockState -> {
                if (lockState.file().locks.holds(lockState.owner)) {
                    throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
                }
                remove(lockState);
            }
        }
    }

    @Nullable
    SharedFile anyWriter(FileKey key) {
        FileState file = files.get(key);
        if (file != null) {
            for (OpenState open : file.opens) {
                if (open.writer != null) {
                    return open.writer;
                }
            }
        }
        return null;
    }

    private Stateid stateid(StateEntry entry) {
        return new Stateid(entry.seqid(), instance, entry.number());
    }

    Collection<OpenState> allOpens() {
        List<OpenState> opens = new ArrayList<>();
        files.values().forEach(file -> opens.addAll(file.opens));
        return opens;
    }

    int openCount() {
        return openCount;
    }

    int lockCount() {
        return lockCount;
    }

    int stateCount() {
        return states.size();
    }
}
