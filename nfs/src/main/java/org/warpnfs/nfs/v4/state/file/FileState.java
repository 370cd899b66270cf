package org.warpnfs.nfs.v4.state.file;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * The opens of one file, indexed so that no question looks at many of them. Opens of clients that are gone stay until
 * they are cleared; a search that meets one takes it out of the index, and ends after {@value #MAX_GONE}.
 *
 * <p>Guarded by the lock of the state.
 */
final class FileState {
    static final int MAX_GONE = 1024;

    final FileKey key;
    final Set<OpenState> opens = new LinkedHashSet<>(2);
    private final Map<Client, Set<OpenState>> byClient = new LinkedHashMap<>(2);
    private final Index readers = new Index();
    private final Index writers = new Index();
    private final Index readDeniers = new Index();
    private final Index writeDeniers = new Index();
    private long visited;

    /**
     * The clients that have opens of one kind, with the number of their opens: those of a client that is gone are
     * passed in one step. Most files have one open, and nobody denies anything.
     */
    private static final class Index {
        @Nullable
        Map<Client, Integer> opens;

        /** @param was and {@code is} say whether the open is of this kind */
        void change(Client client, boolean was, boolean is) {
            if (was == is) {
                return;
            }
            Map<Client, Integer> counts = opens;
            if (counts == null) {
                counts = new LinkedHashMap<>(2);
                opens = counts;
            }
            // One that is gone may have been taken out before.
            counts.merge(client, is ? 1 : -1, (before, more) -> before + more > 0 ? before + more : null);
            counts.remove(client, -1);
        }

        Iterator<Client> clients() {
            return opens == null ? Collections.emptyIterator() : opens.keySet().iterator();
        }
    }

    FileState(FileKey key) {
        this.key = key;
    }

    /** Number of opens and clients that searches have looked at so far. For tests. */
    long visited() {
        return visited;
    }

    /** Updates the indices after an open was added, or its access or deny bits were changed. */
    void index(OpenState open) {
        opens.add(open);
        byClient.computeIfAbsent(open.client, _ -> new LinkedHashSet<>(2)).add(open);
        count(open, open.access, open.deny);
    }

    private void count(OpenState open, int access, int deny) {
        Client client = open.client;
        readers.change(client, has(open.indexedAccess, OpenRequest.READ), has(access, OpenRequest.READ));
        writers.change(client, has(open.indexedAccess, OpenRequest.WRITE), has(access, OpenRequest.WRITE));
        readDeniers.change(client, has(open.indexedDeny, OpenRequest.READ), has(deny, OpenRequest.READ));
        writeDeniers.change(client, has(open.indexedDeny, OpenRequest.WRITE), has(deny, OpenRequest.WRITE));
        open.indexedAccess = access;
        open.indexedDeny = deny;
    }

    private static boolean has(int bits, int bit) {
        return (bits & bit) != 0;
    }

    void remove(OpenState open) {
        opens.remove(open);
        byClient.computeIfPresent(open.client, (_, own) -> {
            own.remove(open);
            return own.isEmpty() ? null : own;
        });
        count(open, 0, 0);
    }

    /** The opens of a client. */
    Collection<OpenState> of(Client client) {
        return byClient.getOrDefault(client, Set.of());
    }

    /**
     * An open of another owner that denies the requested access, or has access that the request denies; null if there
     * is none.
     */
    @Nullable
    Conflict shareConflict(int access, int deny) {
        Conflict denied = denied(access);
        return denied != null ? denied : first(readers, writers, deny);
    }

    /** An open that denies anonymous I/O with that access; null if there is none. */
    @Nullable
    Conflict denied(int access) {
        return first(readDeniers, writeDeniers, access);
    }

    private @Nullable Conflict first(Index ofReading, Index ofWriting, int which) {
        Conflict found = (which & OpenRequest.READ) != 0 ? first(ofReading) : null;
        return found == null && (which & OpenRequest.WRITE) != 0 ? first(ofWriting) : found;
    }

    private @Nullable Conflict first(Index some) {
        Iterator<Client> all = some.clients();
        for (int gone = 0; all.hasNext(); gone++) {
            visited++;
            Client client = all.next();
            // One that is gone says that so many are in the way for now: whoever asks comes again.
            if (!client.isForgotten() || gone == MAX_GONE) {
                return new Conflict(client, null);
            }
            all.remove();
        }
        return null;
    }

    /**
     * True if anyone but an open-owner of the client has the file open; with {@code owner} null, anyone but the client.
     * True too while too many clients that are gone had it open.
     */
    boolean isOpenByOthers(Client client, @Nullable Object owner) {
        if (owner != null) {
            for (OpenState own : of(client)) {
                visited++;
                if (!own.owner.equals(owner) && !client.isForgotten()) {
                    return true;
                }
            }
        }
        Iterator<Client> all = byClient.keySet().iterator();
        for (int gone = 0; all.hasNext(); ) {
            visited++;
            Client other = all.next();
            if (other == client) {
                continue;
            }
            if (!other.isForgotten() || ++gone == MAX_GONE) {
                return true;
            }
            all.remove();
        }
        return false;
    }

    /** Permission by any open that can write, or permission without a file. */
    IoGrant anyWriter() {
        long last = visited + MAX_GONE;
        for (Iterator<Client> all = writers.clients(); all.hasNext() && visited < last; ) {
            Client client = all.next();
            visited++;
            if (client.isGone()) {
                continue;
            }
            for (OpenState open : of(client)) {
                visited++;
                if (open.writer != null) {
                    return IoGrant.holding(open.writer);
                }
                if (visited >= last) {
                    break;
                }
            }
        }
        return IoGrant.withoutFile();
    }
}
