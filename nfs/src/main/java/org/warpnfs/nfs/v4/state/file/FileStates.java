package org.warpnfs.nfs.v4.state.file;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Opens with their share reservations, by file (RFC 8881, section 9.7). Guarded by the lock of the state. */
public final class FileStates {
    private final StateEntries states;
    private final OwnerTable owners;
    private final LockTable locks;
    private final Map<FileKey, FileState> files = new HashMap<>();
    private final Map<Client, Map<OpenKey, OpenState>> byClient = new HashMap<>();
    /** Number of opens that can write to a file, over all exports. */
    private final Map<FileKey, Integer> writers = new HashMap<>();

    private final BusyFiles busy = new BusyFiles();
    private final Shares shares;
    private final Consumer<SharedFile> letGo;
    private final BiConsumer<Client, FileKey> left;

    private record OpenKey(Opaque owner, FileKey file) {}

    /**
     * @param letGo takes files that no state needs any more; they are closed without the lock
     * @param left told of each open that has ended
     */
    public FileStates(
            StateLimits limits,
            StateEntries states,
            OwnerTable owners,
            LockTable locks,
            Consumer<SharedFile> letGo,
            BiConsumer<Client, FileKey> left) {
        this.left = left;
        this.letGo = letGo;
        this.shares = new Shares(limits.maxOpens());
        this.states = states;
        this.owners = owners;
        this.locks = locks;
    }

    /**
     * An open of another owner that denies the requested access, or has access that the request denies; null if there
     * is none.
     */
    @Nullable
    public Conflict shareConflict(OpenRequest request) {
        return shareConflict(request.file(), request.access(), request.deny());
    }

    /** An open that denies one of these accesses, or has an access that is to be denied; null if there is none. */
    @Nullable
    public Conflict shareConflict(FileKey key, int access, int deny) {
        FileState file = files.get(key);
        return file == null ? null : file.shareConflict(access, deny);
    }

    /** An open that denies anonymous I/O with that access; null if there is none. */
    @Nullable
    public Conflict denied(FileKey key, int access) {
        FileState file = files.get(key);
        return file == null ? null : file.denied(access);
    }

    /** The share access bits for which the open has no backend file yet. */
    public int missingAccess(OpenRequest request) {
        OpenState open = openOf(request);
        if (open == null) {
            return request.access();
        }
        int has = (open.reader != null ? OpenRequest.READ : 0) | (open.writer != null ? OpenRequest.WRITE : 0);
        return request.access() & ~has;
    }

    /** True if the owner has the file open already. */
    public boolean isOpen(OpenRequest request) {
        return openOf(request) != null;
    }

    private @Nullable OpenState openOf(OpenRequest request) {
        return byClient.getOrDefault(request.client(), Map.of()).get(new OpenKey(request.owner(), request.file()));
    }

    /** Number of opens of each address. */
    public Shares shares() {
        return shares;
    }

    /**
     * Opens a file, or adds to an open of the same owner. Takes ownership of the files unless it throws. DELAY if a
     * file is missing.
     */
    public Stateid open(OpenRequest request, @Nullable SharedFile reader, @Nullable SharedFile writer)
            throws Nfs4Exception {
        OpenState open = openOf(request);
        int given = (reader != null ? OpenRequest.READ : 0) | (writer != null ? OpenRequest.WRITE : 0);
        if ((missingAccess(request) & ~given) != 0) {
            // The same owner closed the file between the two halves of the OPEN.
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        if (open == null) {
            FileState file = files.computeIfAbsent(request.file(), FileState::new);
            open = new OpenState(request.client(), request.owner(), file, states.nextNumber());
            open.stateOwner = owners.entered(StateOwner.Kind.OPEN, request.client(), request.owner(), open.number);
            byClient.computeIfAbsent(request.client(), _ -> new HashMap<>())
                    .put(new OpenKey(request.owner(), request.file()), open);
            states.enter(open);
            shares.take(request.client().address(), 1);
        } else {
            open.seqid = OpenState.nextSeqid(open.seqid);
        }
        open.reader = keepFirst(open.reader, reader);
        open.writer = keepFirst(open.writer, writer);
        if ((request.access() & ~open.access & OpenRequest.WRITE) != 0) {
            writers.merge(request.file(), 1, Integer::sum);
        }
        open.access |= request.access();
        open.deny |= request.deny();
        open.accessSeen |= 1 << request.access();
        open.denySeen |= 1 << request.deny();
        open.file.index(open);
        return states.stateid(open);
    }

    private @Nullable SharedFile keepFirst(@Nullable SharedFile held, @Nullable SharedFile given) {
        if (held != null && given != null) {
            letGo.accept(given);
        }
        return held != null || given == null ? held : given.takenByState();
    }

    /** OPEN_DOWNGRADE; INVAL unless what remains is a union of earlier OPENs. */
    public Stateid downgrade(Client client, FileKey file, Stateid stateid, int access, int deny) throws Nfs4Exception {
        OpenState open = states.findOpen(client, file, stateid);
        if (access == 0
                || !ShareModes.isUnionOf(access, open.accessSeen)
                || (deny != 0 && !ShareModes.isUnionOf(deny, open.denySeen))
                || (access & ~open.access) != 0
                || (deny & ~open.deny) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        if ((open.access & ~access & OpenRequest.WRITE) != 0) {
            removeWriter(open);
        }
        open.access = access;
        open.deny = deny;
        open.file.index(open);
        open.accessSeen = ShareModes.subsetsOf(access, open.accessSeen);
        open.denySeen = ShareModes.subsetsOf(deny, open.denySeen);
        if ((access & OpenRequest.WRITE) == 0) {
            busy.leave(file, open.writer);
            open.releaseWriter(letGo);
        }
        if ((access & OpenRequest.READ) == 0) {
            open.releaseReader(letGo);
        }
        locks.downgraded(open);
        open.seqid = OpenState.nextSeqid(open.seqid);
        return states.stateid(open);
    }

    /** Closes an open. The stateid that it returns has no further use. */
    public Stateid close(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        OpenState open = states.findOpen(client, file, stateid);
        remove(open);
        owners.closed(open.stateOwner, open.number);
        return states.stateid(open).withSeqid(OpenState.nextSeqid(open.seqid));
    }

    /** OPEN_CONFIRM; BAD_STATEID if there is nothing to confirm. */
    public Stateid confirm(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (states.find(client, stateid) instanceof OpenState open
                && open.key().equals(file)
                && open.stateOwner != null
                && !open.stateOwner.confirmed) {
            open.stateOwner.confirmed = true;
            open.seqid = OpenState.nextSeqid(open.seqid);
            return states.stateid(open);
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /** The opens of a client of files of a file system. */
    public List<OpenState> opensOf(Client client, FileSystem fileSystem) {
        return of(client).stream().filter(open -> open.isOf(fileSystem)).toList();
    }

    /** All clients with opens. */
    public List<Client> clients() {
        return List.copyOf(byClient.keySet());
    }

    /** Closes an open whose file is no longer served, if it still exists. */
    public void withdraw(OpenState open) {
        if (open.file.opens.contains(open)) {
            remove(open);
        }
    }

    /** Closes all opens of an owner. */
    void closeAllOf(StateOwner owner) {
        for (long number : List.copyOf(owner.states)) {
            if (states.byNumber(number) instanceof OpenState open) {
                remove(open);
            }
        }
    }

    private void remove(OpenState open) {
        locks.releaseAll(open);
        open.file.remove(open);
        if (open.file.opens.isEmpty()) {
            files.remove(open.file.key);
        }
        if ((open.access & OpenRequest.WRITE) != 0) {
            removeWriter(open);
        }
        byClient.computeIfPresent(open.client, (_, opens) -> {
            opens.remove(new OpenKey(open.owner, open.file.key));
            return opens.isEmpty() ? null : opens;
        });
        states.leave(open);
        if (!open.client.isGone()) {
            shares.giveBack(open.client.address(), 1);
        }
        owners.left(open.stateOwner, open.number);
        busy.leave(open.key(), open.writer);
        open.releaseFiles(letGo);
        left.accept(open.client, open.key());
    }

    private void removeWriter(OpenState open) {
        writers.computeIfPresent(open.file.key, (_, opens) -> opens == 1 ? null : opens - 1);
    }

    /** True if an open can write to the file. */
    boolean hasWriter(FileKey file) {
        return writers.containsKey(file);
    }

    /** Files that are still written to through opens and delegations that are gone. */
    BusyFiles busy() {
        return busy;
    }

    /**
     * True if another open-owner than the request's has the file open, however long its client has been silent. What is
     * reclaimed was granted beside the client's other opens.
     */
    boolean isOpenByOthers(OpenRequest request) {
        FileState file = files.get(request.file());
        return file != null && file.isOpenByOthers(request.client(), request.reclaim() ? null : request.owner());
    }

    /** True if that client has the file open. */
    public boolean isOpenBy(FileKey key, Client client) {
        return openBy(key, client) != null;
    }

    /** An open of the file by that client; null if there is none. */
    @Nullable
    OpenState openBy(FileKey key, Client client) {
        FileState file = files.get(key);
        return file == null ? null : file.of(client).stream().findFirst().orElse(null);
    }

    /** True if that client has the file open for writing. */
    boolean isOpenToWriteBy(FileKey key, Client client) {
        FileState file = files.get(key);
        return file != null && file.of(client).stream().anyMatch(open -> (open.access & OpenRequest.WRITE) != 0);
    }

    /** True if anyone has locked a range of the file or waits for one, through whatever protocol. */
    boolean isLocked(FileKey key) {
        return locks.isLocked(key);
    }

    /** True if clients of another protocol may still reclaim locks of any file. */
    boolean mayBeReclaimed(long nowNanos) {
        return locks.mayBeReclaimed(nowNanos);
    }

    /** The file that an open reads from; null if there is no such open or it does not read. */
    @Nullable
    public SharedFile readerOf(OpenRequest request) {
        OpenState open = openOf(request);
        return open == null ? null : open.reader;
    }

    /** The file that an open writes to; null if there is no such open or it does not write. */
    @Nullable
    public SharedFile writerOf(OpenRequest request) {
        OpenState open = openOf(request);
        return open == null ? null : open.writer;
    }

    /** Called when a client is removed. Its opens no longer count, and {@link #clear} frees them. */
    public void depart(Client client) {
        shares.giveBack(client.address(), of(client).size());
    }

    /**
     * Frees at most {@code most} opens, and lock stateids below them, of a client that is gone. Returns how many it
     * freed.
     */
    public int clear(Client client, int most) {
        int done = 0;
        for (Collection<OpenState> opens = of(client); done < most && !opens.isEmpty(); opens = of(client)) {
            OpenState open = opens.iterator().next();
            done += locks.clear(open, most - done);
            if (open.locks.isEmpty()) {
                remove(open);
                done++;
            }
        }
        return done;
    }

    /** The opens of a client. */
    public Collection<OpenState> of(Client client) {
        return byClient.getOrDefault(client, Map.of()).values();
    }

    /** Permission by any open of the file that can write, or permission without a file. */
    public IoGrant anyWriter(FileKey key) {
        FileState file = files.get(key);
        return file == null ? IoGrant.withoutFile() : file.anyWriter();
    }

    /** A conflicting lock of another owner in the range; null if there is none. */
    @Nullable
    public Conflict lockConflict(FileKey key, LockOwner owner, boolean exclusive, ByteRange range)
            throws Nfs4Exception {
        return locks.conflict(key, owner, exclusive, range);
    }

    /** The locks of a client, by lock-owner and open. */
    public List<LockState> locksOf(Client client) {
        List<LockState> all = new ArrayList<>();
        of(client).forEach(open -> all.addAll(open.locks.values()));
        return all;
    }

    /** Releases all files when the server ends. */
    public void releaseFiles() {
        allOpens().forEach(open -> open.releaseFiles(letGo));
    }

    private Collection<OpenState> allOpens() {
        List<OpenState> opens = new ArrayList<>();
        files.values().forEach(file -> opens.addAll(file.opens));
        return opens;
    }

    /** Number of opens of clients that were not removed. */
    public int openCount() {
        return (int) shares.taken();
    }
}
