package org.warpnfs.example.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** What is in the log when a call returns, and what comes back from a log that ends anywhere. */
class LogTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    private static FileSystem open(Path at, long capacityBytes) throws IOException {
        return open(at, capacityBytes, file -> file.force(false));
    }

    private static FileSystem open(Path at, long capacityBytes, Log.Disk disk) throws IOException {
        return LogFileSystem.open(at, capacityBytes, disk, LoggerFactory.getLogger(LogTest.class));
    }

    private static FileName name(String name) throws FsException {
        return FileName.of(name);
    }

    private static FileHandle create(FileSystem files, String name) throws FsException {
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
        return files.create(Caller.ROOT, files.root(), name(name), mode).node().handle();
    }

    private static void write(FileSystem files, FileHandle file, long offset, byte[] data, Stability stability)
            throws FsException {
        try (OpenFile open = files.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(data), offset, stability);
        }
    }

    private static String read(FileSystem files, FileHandle file) throws FsException {
        try (OpenFile open = files.open(Caller.ROOT, file, OpenAccess.READ)) {
            ByteBuffer sink = ByteBuffer.allocate(100);
            open.read(sink, 0);
            return new String(sink.array(), 0, sink.position(), StandardCharsets.US_ASCII);
        }
    }

    private static List<String> names(FileSystem files) throws FsException {
        List<String> names = new ArrayList<>();
        files.list(
                Caller.ROOT,
                files.root(),
                0,
                false,
                entry -> names.add(entry.name().toString()));
        return names;
    }

    /** Another directory with the first bytes of the log, as the end of a host leaves it. */
    private Path cut(String name, int length) throws IOException {
        Path copy = Files.createDirectories(directory.resolve(name));
        Files.write(copy.resolve("log"), Arrays.copyOf(Files.readAllBytes(directory.resolve("log")), length));
        return copy;
    }

    private int logBytes() throws IOException {
        return (int) Files.size(directory.resolve("log"));
    }

    @Test
    void log_cutAnywhere_hasTheChangesUpToThere() throws Exception {
        try (FileSystem files = open(directory, MIB)) {
            int began = logBytes();
            FileHandle file = create(files, "a");
            int created = logBytes();
            write(files, file, 0, "one".getBytes(StandardCharsets.US_ASCII), Stability.FILE_SYNC);
            int written = logBytes();
            files.rename(Caller.ROOT, files.root(), name("a"), files.root(), name("b"));
            int renamed = logBytes();
            int length = began;
            while (length <= renamed) {
                try (FileSystem again = open(cut("cut-" + length, length), MIB)) {
                    List<String> expected = length < created ? List.of() : List.of(length < renamed ? "a" : "b");
                    assertThat(names(again)).as("cut at %s", length).isEqualTo(expected);
                    if (length >= created) {
                        assertThat(read(again, file)).isEqualTo(length < written ? "" : "one");
                    }
                }
                // Within the one record of the data not every byte is tried.
                boolean isAmongData = length > created + 32 && length < written - 32;
                length += isAmongData ? 31 : 1;
            }
        }
    }

    @Test
    void log_damaged_endsAtTheDamage() throws Exception {
        int length;
        try (FileSystem files = open(directory, MIB)) {
            create(files, "a");
            length = logBytes();
            create(files, "b");
        }
        Path copy = cut("damaged", logBytes());
        byte[] log = Files.readAllBytes(copy.resolve("log"));
        log[length + 20] ^= 1;
        Files.write(copy.resolve("log"), log);
        try (FileSystem again = open(copy, MIB)) {
            assertThat(names(again)).containsExactly("a");
        }
        // A length that is a mere claim is not allocated.
        Arrays.fill(log, length, length + 4, (byte) 0x7f);
        Files.write(copy.resolve("log"), log);
        try (FileSystem again = open(copy, MIB)) {
            assertThat(names(again)).containsExactly("a");
        }
    }

    @Test
    void directory_thatIsInUse_isRefused() throws Exception {
        try (FileSystem _ = open(directory, MIB)) {
            assertThatThrownBy(() -> open(directory, MIB)).hasMessageContaining("uses it already");
        }
        open(directory, MIB).close();
    }

    @Test
    void space_usedUp_isRefusedUntilSomethingGoes() throws Exception {
        try (FileSystem files = open(directory, MIB)) {
            FileHandle file = create(files, "big");
            write(files, file, 0, new byte[800_000], Stability.UNSTABLE);
            FileHandle other = create(files, "other");
            assertThatThrownBy(() -> write(files, other, 1L << 39, new byte[800_000], Stability.UNSTABLE))
                    .isInstanceOfSatisfying(
                            FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.NO_SPACE));
            assertThat(files.attributes(other).sizeBytes()).isZero();
            long free = files.statistics().freeBytes();
            files.setAttributes(Caller.ROOT, other, AttributeChanges.ofSize(1L << 40));
            assertThat(files.statistics().freeBytes())
                    .as("a length alone takes nothing")
                    .isEqualTo(free);
            files.remove(Caller.ROOT, files.root(), name("big"));
            write(files, other, 1L << 39, new byte[800_000], Stability.UNSTABLE);
        }
    }

    @Test
    void log_muchLongerThanTheFiles_isRewritten() throws Exception {
        FileHandle file;
        try (FileSystem files = open(directory, MIB)) {
            file = create(files, "f");
            FileHandle open = create(files, "open");
            try (OpenFile removed = files.open(Caller.ROOT, open, OpenAccess.READ_WRITE)) {
                files.remove(Caller.ROOT, files.root(), name("open"));
                removed.write(ByteBuffer.wrap(new byte[] {'x'}), 0, Stability.FILE_SYNC);
                for (int i = 0; i < 40; i++) {
                    write(files, file, 0, new byte[300_000], Stability.UNSTABLE);
                }
                write(files, file, 0, "last".getBytes(StandardCharsets.US_ASCII), Stability.FILE_SYNC);
                assertThat(logBytes()).isLessThan((int) (5 * MIB));
                assertThat(removed.attributes().sizeBytes()).isEqualTo(1);
            }
            assertThat(names(files)).containsExactly("f");
        }
        try (FileSystem files = open(directory, MIB)) {
            assertThat(read(files, file)).startsWith("last");
            assertThat(names(files)).containsExactly("f");
        }
    }

    /** As Linux does it: an fsync fails once, the next one claims success, and the data are lost. */
    @Test
    void sync_fails_nothingIsAcknowledgedAndTheVerifierChanges() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        Log.Disk disk = file -> {
            if (fails.getAndSet(false)) {
                throw new IOException("no such sector");
            }
            file.force(false);
        };
        try (FileSystem files = open(directory, MIB, disk)) {
            FileHandle file = create(files, "f");
            write(files, file, 0, "before".getBytes(StandardCharsets.US_ASCII), Stability.FILE_SYNC);
            long verifier = files.writeVerifier();
            write(files, file, 0, "unsafe".getBytes(StandardCharsets.US_ASCII), Stability.UNSTABLE);
            assertThat(files.writeVerifier()).isEqualTo(verifier);

            fails.set(true);
            assertIoError(() -> write(files, file, 0, new byte[] {'x'}, Stability.FILE_SYNC));

            assertThat(files.writeVerifier()).isNotEqualTo(verifier);
            assertThat(files.fault()).isPresent();
            try (OpenFile open = files.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
                assertIoError(open::sync);
                assertIoError(() -> open.write(ByteBuffer.wrap(new byte[] {'y'}), 0, Stability.UNSTABLE));
            }
            assertIoError(() -> create(files, "another"));
        }
    }

    @Test
    void sync_failsForAChangeOfTheTree_isNotAcknowledgedEither() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        Log.Disk disk = file -> {
            if (fails.get()) {
                throw new IOException("no such sector");
            }
            file.force(false);
        };
        try (FileSystem files = open(directory, MIB, disk)) {
            long verifier = files.writeVerifier();
            fails.set(true);
            assertIoError(() -> create(files, "f"));
            assertThat(files.writeVerifier()).isNotEqualTo(verifier);
        }
    }

    private static void assertIoError(ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FsException.class, e -> assertThat(e.error())
                .isEqualTo(FsError.IO));
    }
}
