package org.warpnfs.nfs.v4.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The recovery log in one file of the state directory.
 *
 * <pre>
 *   header   8 bytes    "WNFS4RCV"
 *   record   4 bytes    length of the body in bytes
 *            1 byte     kind: 1 boot, 2 client added, 3 client removed, 4 grace ended
 *            n bytes    body: of a boot, the instance (4) and the server identity (16); of a client, its co_ownerid
 *            4 bytes    CRC32C of all of the record before
 *   record   ...
 * </pre>
 *
 * Records are appended and forced before a method returns. A start reads the file, takes what the last boots left behind, and
 * writes a compact one beside it that replaces it by a rename; so does a log that has grown beyond {@value
 * #COMPACT_BEYOND_BYTES} bytes.
 *
 * <h2>Errors</h2>
 *
 * A record that reaches beyond the end of the file, or the last one with a wrong sum, is a write that the end of the server cut
 * short: nothing was acknowledged for it, and it is dropped. A wrong sum before that is damage, and a start refuses it with an
 * {@link IOException} that names the file. Not safe for several threads.
 */
public final class FileRecoveryLog implements RecoveryLog {
    /** The file's name in the state directory. */
    public static final String FILE_NAME = "nfs4-recovery.log";

    static final int COMPACT_BEYOND_BYTES = 1 << 20;

    private static final long MAGIC = 0x574e465334524356L;
    private static final int IDENTITY_BYTES = 16;
    private static final int BOOT_BYTES = Integer.BYTES + IDENTITY_BYTES;
    private static final int RECORD_OVERHEAD_BYTES = 9;
    private static final int MAX_FILE_BYTES = 1 << 28;

    private static final byte BOOT = 1;
    private static final byte ADD = 2;
    private static final byte REMOVE = 3;
    private static final byte GRACE_END = 4;

    private final Path file;
    private final int instance;
    private final byte[] identity;
    private final Set<Opaque> reclaimers;
    /** From before this boot, as long as grace lasts. */
    private final Set<Opaque> previous;

    private final Set<Opaque> current = new LinkedHashSet<>();
    private FileChannel channel;
    /** An append failed on its way: nothing may be written behind what it left. */
    private boolean halfWritten;

    private FileRecoveryLog(Path file, int instance, byte[] identity, Set<Opaque> previous) throws IOException {
        this.file = file;
        this.instance = instance;
        this.identity = identity;
        this.previous = previous;
        this.reclaimers = Set.copyOf(previous);
        this.channel = compacted();
    }

    /** Opens the log in {@code directory}, making it if there is none; this is a new boot. */
    public static FileRecoveryLog open(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        Replay replay = new Replay(file);
        if (Files.exists(file)) {
            replay.read();
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
                        records.add(record(ADD, owner.toBytes()));
                    }
                }
                case Change.Removed(Opaque owner) -> {
                    boolean fromThisBoot = current.remove(owner);
                    boolean fromBefore = previous.remove(owner);
                    if (fromThisBoot || fromBefore) {
                        records.add(record(REMOVE, owner.toBytes()));
                    }
                }
                case Change.GraceEnded() -> {
                    if (!previous.isEmpty()) {
                        previous.clear();
                        records.add(record(GRACE_END, new byte[0]));
                    }
                }
            }
        }
        boolean done = false;
        try {
            append(records);
            done = true;
        } finally {
            if (!done) {
                added.forEach(current::remove);
            }
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // Everything acknowledged has been forced already.
        }
    }

    private void append(List<ByteBuffer> records) throws IOException {
        if (!halfWritten && records.isEmpty()) {
            return;
        }
        boolean anew = halfWritten;
        // From here on, also where the channel turns out to be closed, as by an interrupt.
        halfWritten = true;
        if (anew || channel.size() > COMPACT_BEYOND_BYTES) {
            FileChannel old = channel;
            channel = compacted();
            old.close();
        } else {
            for (ByteBuffer record : records) {
                writeFully(channel, record);
            }
            channel.force(true);
        }
        halfWritten = false;
    }

    /** Writes what matters into a new file and puts it in place of the old one. */
    private FileChannel compacted() throws IOException {
        List<ByteBuffer> records = new ArrayList<>();
        records.add(ByteBuffer.allocate(Long.BYTES).putLong(MAGIC).flip());
        // A boot before this one, whose clients may reclaim until grace ends.
        records.add(boot(instance - 1));
        previous.forEach(owner -> records.add(record(ADD, owner.toBytes())));
        records.add(boot(instance));
        current.forEach(owner -> records.add(record(ADD, owner.toBytes())));
        Path fresh = file.resolveSibling(FILE_NAME + ".new");
        FileChannel out = FileChannel.open(
                fresh,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            for (ByteBuffer record : records) {
                writeFully(out, record);
            }
            out.force(true);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                try (FileChannel entry = FileChannel.open(directory, StandardOpenOption.READ)) {
                    entry.force(true);
                }
            }
            return out;
        } catch (IOException e) {
            out.close();
            throw e;
        }
    }

    private ByteBuffer boot(int number) {
        return record(
                BOOT,
                ByteBuffer.allocate(BOOT_BYTES).putInt(number).put(identity).array());
    }

    private static ByteBuffer record(byte kind, byte[] body) {
        ByteBuffer record = ByteBuffer.allocate(RECORD_OVERHEAD_BYTES + body.length);
        record.putInt(body.length).put(kind).put(body);
        record.putInt(sum(record.array(), 0, record.position()));
        return record.flip();
    }

    private static int sum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    private static void writeFully(FileChannel out, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    /** What a log that was left behind says. */
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
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw damaged("is larger than any such log");
            }
            byte[] bytes = Files.readAllBytes(file);
            ByteBuffer in = ByteBuffer.wrap(bytes);
            if (in.remaining() < Long.BYTES || in.getLong() != MAGIC) {
                throw damaged("does not begin as one");
            }
            while (readRecord(bytes, in)) {
                // Each record is applied as it is read.
            }
            if (identity.length == 0) {
                throw damaged("names no server");
            }
        }

        private boolean readRecord(byte[] bytes, ByteBuffer in) throws IOException {
            if (in.remaining() < RECORD_OVERHEAD_BYTES) {
                return false;
            }
            int start = in.position();
            int bodyLength = in.getInt(start);
            if (bodyLength < 0 || bodyLength > in.remaining() - RECORD_OVERHEAD_BYTES) {
                return false;
            }
            int summed = RECORD_OVERHEAD_BYTES - Integer.BYTES + bodyLength;
            if (sum(bytes, start, summed) != in.getInt(start + summed)) {
                if (start + summed + Integer.BYTES == in.limit()) {
                    return false;
                }
                throw damaged("has a wrong checksum at byte " + start);
            }
            byte kind = in.get(start + Integer.BYTES);
            byte[] body = Arrays.copyOfRange(bytes, start + Integer.BYTES + 1, start + Integer.BYTES + 1 + bodyLength);
            apply(kind, body, start);
            in.position(start + summed + Integer.BYTES);
            return true;
        }

        private void apply(byte kind, byte[] body, int at) throws IOException {
            switch (kind) {
                case BOOT -> {
                    if (body.length != BOOT_BYTES) {
                        throw damaged("has a malformed boot record at byte " + at);
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
                default -> throw damaged("has a record of unknown kind " + kind + " at byte " + at);
            }
        }

        private IOException damaged(String how) {
            return new IOException("NFSv4 recovery log " + file + " " + how
                    + "; move it away to start without it: clients then cannot reclaim their opens and locks");
        }
    }
}
