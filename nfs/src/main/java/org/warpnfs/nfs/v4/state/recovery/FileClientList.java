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
 * The clients of one node in one epoch, in a {@link BatchLog}.
 *
 * <pre>
 *   record   4 bytes    length of the co_ownerid in bytes
 *            1 byte     kind: 1 begin of the list, 2 client added, 3 client removed; 0 ends the batch
 *            n bytes    co_ownerid
 * </pre>
 *
 * <p>Each method that writes returns when it is on stable storage. After an {@link IOException} the next write makes
 * the file anew. Not safe for several threads.
 */
final class FileClientList implements ClientList {
    private static final int OVERHEAD_BYTES = Integer.BYTES + Byte.BYTES;
    private static final byte END = 0;
    private static final byte BEGIN = 1;
    private static final byte ADD = 2;
    private static final byte REMOVE = 3;

    private final Path file;
    private final Set<Opaque> clients;
    private BatchLog log;
    private boolean halfWritten;

    private FileClientList(Path file, Set<Opaque> clients) throws IOException {
        this.file = file;
        this.clients = new LinkedHashSet<>(clients);
        this.log = BatchLog.replace(file, whole());
    }

    /** Makes a list with these clients. Replaces one that exists. */
    static FileClientList create(Path file, Set<Opaque> clients) throws IOException {
        return new FileClientList(file, clients);
    }

    /** The clients of a list; none if there is no such file. */
    static Set<Opaque> read(Path file) throws IOException {
        List<ByteBuffer> batches;
        try {
            batches = BatchLogReader.read(file);
        } catch (NoSuchFileException e) {
            // Only this means that it is not there. A file system that cannot tell must not cost clients what they had.
            return Set.of();
        }
        Set<Opaque> clients = new LinkedHashSet<>();
        for (ByteBuffer batch : batches) {
            while (batch.remaining() >= OVERHEAD_BYTES) {
                int length = batch.getInt();
                byte kind = batch.get();
                if (kind == END) {
                    break;
                }
                if (length < 0 || length > Math.min(batch.remaining(), Opaque.MAX_LENGTH_BYTES)) {
                    throw BatchLogReader.damaged(file, "has a record that is longer than its batch");
                }
                byte[] owner = new byte[length];
                batch.get(owner);
                switch (kind) {
                    case BEGIN -> clients.clear();
                    case ADD -> clients.add(Opaque.of(owner));
                    case REMOVE -> clients.remove(Opaque.of(owner));
                    default -> throw BatchLogReader.damaged(file, "has a record of unknown kind " + kind);
                }
            }
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
                records.add(record(ADD, owner.toBytes()));
            } else if (change instanceof RecoveryLog.Change.Removed(Opaque owner) && clients.remove(owner)) {
                records.add(record(REMOVE, owner.toBytes()));
            }
        }
        boolean done = false;
        try {
            append(records);
            done = true;
        } finally {
            if (!done) {
                added.forEach(clients::remove);
            }
        }
    }

    private void append(List<ByteBuffer> records) throws IOException {
        if (records.isEmpty() && !halfWritten) {
            return;
        }
        ByteBuffer batch = joined(records);
        boolean anew = halfWritten || !log.hasRoomFor(batch.remaining());
        // Set before the write, which may also fail because an interrupt has closed the channel.
        halfWritten = true;
        if (anew) {
            BatchLog old = log;
            log = BatchLog.replace(file, whole());
            old.close();
        } else {
            log.append(batch);
        }
        halfWritten = false;
    }

    private ByteBuffer whole() {
        List<ByteBuffer> records = new ArrayList<>(clients.size() + 1);
        records.add(record(BEGIN, new byte[0]));
        clients.forEach(owner -> records.add(record(ADD, owner.toBytes())));
        return joined(records);
    }

    private static ByteBuffer joined(List<ByteBuffer> records) {
        ByteBuffer batch = ByteBuffer.allocate(
                records.stream().mapToInt(ByteBuffer::remaining).sum());
        records.forEach(batch::put);
        return batch.flip();
    }

    private static ByteBuffer record(byte kind, byte[] body) {
        return ByteBuffer.allocate(OVERHEAD_BYTES + body.length)
                .putInt(body.length)
                .put(kind)
                .put(body)
                .flip();
    }

    @Override
    public void close() {
        try {
            log.close();
        } catch (IOException e) {
            // Everything that was acknowledged has been synced already.
        }
    }
}
