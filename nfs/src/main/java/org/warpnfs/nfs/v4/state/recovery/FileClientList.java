package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The clients of one node in one epoch, in a {@link RecordLog}. The kinds of its records: 1 begin of the list, 2 client
 * added, 3 client removed. The body is the {@link RecordedName} of the client.
 *
 * <p>Each method that writes returns when it is on stable storage. After an {@link IOException} the next write makes
 * the file anew. Not safe for several threads.
 */
final class FileClientList implements ClientList {
    private static final byte BEGIN = 1;
    private static final byte ADD = 2;
    private static final byte REMOVE = 3;

    private final Set<Opaque> clients;
    private final RecordLog log;

    private FileClientList(Path file, Set<Opaque> clients) throws IOException {
        this.clients = new LinkedHashSet<>(clients);
        this.log = new RecordLog(file, this::whole);
    }

    /** Makes a list with these clients. Replaces one that exists. */
    static FileClientList create(Path file, Set<Opaque> clients) throws IOException {
        return new FileClientList(file, clients);
    }

    /** The clients of a list; none if there is no such file. */
    static Set<Opaque> read(Path file) throws IOException {
        Set<Opaque> clients = new LinkedHashSet<>();
        try {
            RecordLog.read(file, (kind, owner) -> {
                switch (kind) {
                    case BEGIN -> clients.clear();
                    case ADD -> clients.add(Opaque.of(owner));
                    case REMOVE -> clients.remove(Opaque.of(owner));
                    default -> throw BatchLogReader.damaged(file, "has a record of unknown kind " + kind);
                }
            });
        } catch (NoSuchFileException e) {
            // Only this means that it is not there. A file system that cannot tell must not cost clients what they had.
            return Set.of();
        }
        return clients;
    }

    @Override
    public Set<Opaque> clients() {
        return Set.copyOf(clients);
    }

    /** One sync for all of them. */
    @Override
    public void write(List<RecoveryLog.Change> changes) throws IOException {
        List<ByteBuffer> records = new ArrayList<>(changes.size());
        List<Opaque> added = new ArrayList<>(1);
        for (RecoveryLog.Change change : changes) {
            if (change instanceof RecoveryLog.Change.Added(Opaque owner) && clients.add(owner)) {
                added.add(owner);
                records.add(RecordLog.record(ADD, owner.toBytes()));
            } else if (change instanceof RecoveryLog.Change.Removed(Opaque owner) && clients.remove(owner)) {
                records.add(RecordLog.record(REMOVE, owner.toBytes()));
            }
        }
        boolean done = false;
        try {
            log.append(records);
            done = true;
        } finally {
            if (!done) {
                added.forEach(clients::remove);
            }
        }
    }

    private List<ByteBuffer> whole() {
        List<ByteBuffer> records = new ArrayList<>(clients.size() + 1);
        records.add(RecordLog.record(BEGIN, new byte[0]));
        clients.forEach(owner -> records.add(RecordLog.record(ADD, owner.toBytes())));
        return records;
    }

    @Override
    public void close() {
        log.close();
    }
}
