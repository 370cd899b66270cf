package org.warpnfs.nfs.v4.state.file;

import java.util.Collection;
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
    private final Set<OpenState> readers = new LinkedHashSet<>(2);
    private final Set<OpenState> writers = new LinkedHashSet<>(2);
    private final Set<OpenState> readDeniers = new LinkedHashSet<>(0);
    private final Set<OpenState> writeDeniers = new LinkedHashSet<>(0);
    private long visited;

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
        member(readers, open, (open.access & OpenRequest.READ) != 0);
        member(writers, open, (open.access & OpenRequest.WRITE) != 0);
        member(readDeniers, open, (open.deny & OpenRequest.READ) != 0);
        member(writeDeniers, open, (open.deny & OpenRequest.WRITE) != 0);
    }

    private static void member(Set<OpenState> set, OpenState open, boolean belongs) {
        if (belongs) {
            set.add(open);
        } else {
            set.remove(open);
        }
    }

    void remove(OpenState open) {
        opens.remove(open);
        byClient.computeIfPresent(open.client, (_, own) -> {
            own.remove(open);
            return own.isEmpty() ? null : own;
        });
        readers.remove(open);
        writers.remove(open);
        readDeniers.remove(open);
        writeDeniers.remove(open);
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

    private @Nullable Conflict first(Set<OpenState> ofReading, Set<OpenState> ofWriting, int which) {
        Conflict found = (which & OpenRequest.READ) != 0 ? first(ofReading) : null;
        return found == null && (which & OpenRequest.WRITE) != 0 ? first(ofWriting) : found;
    }

    /** A conflict without a holder says that too many of clients that are gone are in the way, for now. */
    private @Nullable Conflict first(Set<OpenState> some) {
        Iterator<OpenState> all = some.iterator();
        for (int gone = 0; all.hasNext(); gone++) {
            if (gone == MAX_GONE) {
                return new Conflict(null, null);
            }
            visited++;
            OpenState open = all.next();
            if (!open.client.isForgotten()) {
                return new Conflict(open.client, null);
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
        Iterator<OpenState> all = writers.iterator();
        for (int gone = 0; gone < MAX_GONE && all.hasNext(); gone++) {
            visited++;
            OpenState open = all.next();
            if (open.writer != null && !open.client.isGone()) {
                return IoGrant.holding(open.writer);
            }
        }
        return IoGrant.withoutFile();
    }
}
