package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;

/** The common part of the contract's tests: a fresh file system, callers, and short methods for long calls. */
@ExtendWith(OfferedOrRefused.class)
abstract class ContractFixture {
    static final Caller ROOT = Caller.ROOT;
    static final Caller USER = new Caller(1000, 1000, List.of(2000L));
    static final Caller FRIEND = new Caller(1001, 1001, List.of(1000L, 2000L));
    static final Caller STRANGER = new Caller(1002, 1002, List.of());

    Backend backend;
    FileSystem fs;
    FileHandle root;

    protected abstract Backend newBackend() throws Exception;

    @BeforeEach
    void start() throws Exception {
        backend = newBackend();
        fs = backend.start();
        root = fs.root();
    }

    @AfterEach
    void stop() throws Exception {
        fs.close();
        backend.close();
    }

    /** Skips a test that does not apply to this backend. The build's output says which one, and why. */
    void onlyIf(boolean condition, String reason) {
        if (!condition) {
            System.out.println("skipped for " + backend.getClass().getSimpleName() + ": " + reason);
        }
        Assumptions.assumeTrue(condition, reason);
    }

    void restart() throws Exception {
        fs.close();
        fs = backend.start();
    }

    /** True if the backend has the capability. */
    boolean can(Capability capability) {
        return fs.limits().has(capability);
    }

    /** What is left of a time in the step of the backend's timestamps. */
    Timestamp stepped(long seconds, int nanos) {
        int step = fs.limits().timeGranularityNanos();
        if (step < 1_000_000_000) {
            return new Timestamp(seconds, nanos - nanos % step);
        }
        return new Timestamp(seconds - Math.floorMod(seconds, step / 1_000_000_000), 0);
    }

    /** True if the backend keeps files. If not, checks that a restart leaves none and makes their handles stale. */
    boolean keepsFiles() throws Exception {
        if (!backend.keepsFiles()) {
            FileHandle file = file(root, "forgotten");
            restart();
            assertFails(FsError.STALE, () -> attributes(file));
            assertThat(names(fs.root())).isEmpty();
        }
        return backend.keepsFiles();
    }

    interface Call {
        void run() throws Exception;
    }

    static void assertFails(FsError expected, Call call) throws Exception {
        try {
            call.run();
        } catch (FsException e) {
            assertThat(e.error()).isEqualTo(expected);
            return;
        }
        fail("expected " + expected);
    }

    static FileName name(String name) throws FsException {
        return FileName.of(name);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    FileHandle file(FileHandle directory, String name) throws FsException {
        return file(ROOT, directory, name, 0644);
    }

    FileHandle file(Caller caller, FileHandle directory, String name, int permissions) throws FsException {
        return fs.create(
                        caller,
                        directory,
                        name(name),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(permissions)))
                .node()
                .handle();
    }

    FileHandle directory(FileHandle directory, String name) throws FsException {
        return directory(ROOT, directory, name, 0755);
    }

    FileHandle directory(Caller caller, FileHandle directory, String name, int permissions) throws FsException {
        return fs.makeDirectory(caller, directory, name(name), AttributeChanges.ofPermissions(permissions))
                .handle();
    }

    /** A file directly in the root that belongs to {@code owner}. */
    FileHandle ownedFile(Caller owner, String name, int permissions) throws Exception {
        FileHandle file = file(ROOT, root, name, 0600);
        giveAway(file, name, owner, permissions);
        return file;
    }

    /** A directory directly in the root that belongs to {@code owner}. */
    FileHandle ownedDirectory(Caller owner, String name, int permissions) throws Exception {
        FileHandle directory = directory(ROOT, root, name, 0700);
        giveAway(directory, name, owner, permissions);
        return directory;
    }

    void giveAway(FileHandle file, String path, Caller owner, int permissions) throws Exception {
        fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(permissions));
        backend.giveAway(fs, file, path, owner);
        if ((permissions & 06000) != 0) {
            fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(permissions));
        }
    }

    /** Adds a name to a directory: of a file that exists, or if it can have one name only, of a new file. */
    void another(FileHandle file, FileHandle directory, String name) throws FsException {
        if (can(Capability.HARD_LINKS)) {
            fs.link(ROOT, file, directory, name(name));
        } else {
            file(directory, name);
        }
    }

    FileNode lookup(FileHandle directory, String name) throws FsException {
        return fs.lookup(ROOT, directory, name(name));
    }

    FileAttributes attributes(FileHandle file) throws FsException {
        return fs.attributes(file);
    }

    void write(FileHandle file, long offset, byte[] data) throws FsException {
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(data), offset, Stability.UNSTABLE);
        }
    }

    byte[] read(FileHandle file, long offset, int length) throws FsException {
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
            return read(open, offset, length);
        }
    }

    static byte[] read(OpenFile open, long offset, int length) throws FsException {
        ByteBuffer sink = ByteBuffer.allocateDirect(length);
        int count = open.read(sink, offset);
        assertThat(sink.position()).isEqualTo(count);
        byte[] data = new byte[count];
        sink.flip().get(data);
        return data;
    }

    static byte[] random(long seed, int length) {
        byte[] data = new byte[length];
        new Random(seed).nextBytes(data);
        return data;
    }

    static byte[] concat(byte[]... parts) {
        return Stream.of(parts).reduce(new byte[0], (a, b) -> {
            byte[] joined = Arrays.copyOf(a, a.length + b.length);
            System.arraycopy(b, 0, joined, a.length, b.length);
            return joined;
        });
    }

    List<DirectoryEntry> entries(FileHandle directory, long cookie, int limit) throws FsException {
        List<DirectoryEntry> entries = new ArrayList<>();
        fs.list(ROOT, directory, cookie, true, entry -> {
            if (entries.size() == limit) {
                return false;
            }
            entries.add(entry);
            return true;
        });
        return entries;
    }

    List<String> names(FileHandle directory) throws FsException {
        return entries(directory, 0, Integer.MAX_VALUE).stream()
                .map(entry -> entry.name().toString())
                .toList();
    }
}
