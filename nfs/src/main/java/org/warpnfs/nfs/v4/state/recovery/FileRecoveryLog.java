package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The recovery log in one file of the state directory, a {@link RecordLog}.
 *
 * <pre>
 *   kind of record       body
 *   1 boot               the instance (4 bytes) and the server identity (16)
 *   2 client added       its RecordedName
 *   3 client removed     its RecordedName
 *   4 grace ended        none
 * </pre>
 *
 * Each method writes one batch, which is synced before the method returns. A start reads the file, takes over what the
 * last boots left, and writes a compact file that replaces it by a rename. The same happens when the room of the log is
 * used up.
 *
 * <h2>Errors</h2>
 *
 * A batch that the end of the host cut short was never acknowledged, and is ignored. Anything else that is wrong is
 * damage. A start refuses it with an {@link IOException} that names the file and the place ({@link BatchLogReader}).
 * Not safe for several threads.
 */
public final class FileRecoveryLog implements RecoveryLog {
    private static final Logger LOG = LoggerFactory.getLogger(FileRecoveryLog.class);

    /** The file's name in the state directory. */
    public static final String FILE_NAME = "nfs4-recovery.log";

    private static final int IDENTITY_BYTES = 16;
    private static final int BOOT_BYTES = Integer.BYTES + IDENTITY_BYTES;

    private static final byte BOOT = 1;
    private static final byte ADD = 2;
    private static final byte REMOVE = 3;
    private static final byte GRACE_END = 4;

    private final int instance;
    private final byte[] identity;
    private final Set<Opaque> reclaimers;
    /** Clients from before this boot, as long as the grace period lasts. */
    private final Set<Opaque> previous;

    private final Set<Opaque> current = new LinkedHashSet<>();
    private final RecordLog log;

    private FileRecoveryLog(Path file, int instance, byte[] identity, Set<Opaque> previous) throws IOException {
        this.instance = instance;
        this.identity = identity;
        this.previous = previous;
        this.reclaimers = Set.copyOf(previous);
        this.log = new RecordLog(file, this::whole);
    }

    /**
     * Opens the log in {@code directory} for a new boot. Creates it if there is none. One that cannot be read is not
     * taken for missing: it would be replaced, and the clients in it could not reclaim.
     */
    public static FileRecoveryLog open(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        Replay replay = new Replay(file);
        try {
            replay.read();
        } catch (NoSuchFileException e) {
            LOG.debug("{}: this is the first boot", file);
        }
        int instance = replay.instance == Integer.MAX_VALUE ? 1 : replay.instance + 1;
        byte[] identity = replay.identity;
        if (identity.length == 0) {
            identity = new byte[IDENTITY_BYTES];
            new SecureRandom().nextBytes(identity);
        }
        replay.previous.addAll(replay.current);
        return new FileRecoveryLog(file, instance, identity, replay.previous);
    }

    @Override
    public int instance() {
        return instance;
    }

    @Override
    public byte[] serverIdentity() {
        return identity.clone();
    }

    @Override
    public Set<Opaque> reclaimers() {
        return reclaimers;
    }

    @Override
    public void write(List<Change> changes) throws IOException {
        List<ByteBuffer> records = new ArrayList<>(changes.size());
        List<Opaque> added = new ArrayList<>(1);
        for (Change change : changes) {
            switch (change) {
                case Change.Added(Opaque owner) -> {
                    if (current.add(owner)) {
                        added.add(owner);
                        records.add(RecordLog.record(ADD, owner.toBytes()));
                    }
                }
                case Change.Removed(Opaque owner) -> {
                    boolean fromThisBoot = current.remove(owner);
                    boolean fromBefore = previous.remove(owner);
                    if (fromThisBoot || fromBefore) {
                        records.add(RecordLog.record(REMOVE, owner.toBytes()));
                    }
                }
                case Change.GraceEnded() -> {
                    if (!previous.isEmpty()) {
                        previous.clear();
                        records.add(RecordLog.record(GRACE_END, new byte[0]));
                    }
                }
            }
        }
        boolean done = false;
        try {
            log.append(records);
            done = true;
        } finally {
            if (!done) {
                added.forEach(current::remove);
            }
        }
    }

    @Override
    public void close() {
        log.close();
    }

    private List<ByteBuffer> whole() {
        List<ByteBuffer> records = new ArrayList<>();
        // A boot before this one, whose clients may reclaim until the grace period ends.
        records.add(boot(instance - 1));
        previous.forEach(owner -> records.add(RecordLog.record(ADD, owner.toBytes())));
        records.add(boot(instance));
        current.forEach(owner -> records.add(RecordLog.record(ADD, owner.toBytes())));
        return records;
    }

    private ByteBuffer boot(int number) {
        return RecordLog.record(
                BOOT,
                ByteBuffer.allocate(BOOT_BYTES).putInt(number).put(identity).array());
    }

    /** The contents of a log that an earlier run has left. */
    private static final class Replay {
        private final Path file;
        int instance;
        byte[] identity = new byte[0];
        final Set<Opaque> previous = new LinkedHashSet<>();
        final Set<Opaque> current = new LinkedHashSet<>();

        Replay(Path file) {
            this.file = file;
        }

        void read() throws IOException {
            RecordLog.read(file, this::apply);
            if (identity.length == 0) {
                throw damaged("names no server");
            }
        }

        private void apply(byte kind, byte[] body) throws IOException {
            switch (kind) {
                case BOOT -> {
                    if (body.length != BOOT_BYTES) {
                        throw damaged("has a malformed boot record");
                    }
                    previous.addAll(current);
                    current.clear();
                    instance = ByteBuffer.wrap(body).getInt();
                    identity = Arrays.copyOfRange(body, Integer.BYTES, BOOT_BYTES);
                }
                case ADD -> current.add(Opaque.of(body));
                case REMOVE -> {
                    current.remove(Opaque.of(body));
                    previous.remove(Opaque.of(body));
                }
                case GRACE_END -> previous.clear();
                default -> throw damaged("has a record of unknown kind " + kind);
            }
        }

        private IOException damaged(String how) {
            return BatchLogReader.damaged(file, how);
        }
    }
}
