package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;

/** The table of handles on disk: its length is bounded by its files, and it is clean only if it is complete. */
class HandleLogTest {
    private static final long TREE = 7;

    @TempDir
    Path base;

    /** Number of files in the one log in the directory. */
    static int entriesIn(Path state) throws IOException {
        Path log = logIn(state);
        String name = log.getFileName().toString();
        long treeId = Long.parseUnsignedLong(name.substring("handles-".length(), name.length() - ".log".length()), 16);
        Map<FileKey, Place> table = new HashMap<>();
        HandleLog.open(state, treeId, table).close();
        return table.size();
    }

    static Path logIn(Path state) throws IOException {
        try (Stream<Path> all = Files.list(state)) {
            List<Path> logs =
                    all.filter(path -> path.toString().endsWith(".log")).toList();
            assertThat(logs).hasSize(1);
            return logs.getFirst();
        }
    }

    private static FileKey key(long inode) {
        return new FileKey(0, inode, 1, 2, 3);
    }

    @Test
    void append_manyFilesThatComeAndGo_keepsTheLogSmallAndRight() throws Exception {
        Map<FileKey, Place> table = new ConcurrentHashMap<>();
        Place lasting = new Place(key(2), FileName.of("lasting"));
        long largest = 0;
        try (HandleLog log = HandleLog.open(base, TREE, table)) {
            table.put(key(1), lasting);
            log.append(key(1), lasting);
            for (int i = 10; i < 20_000; i++) {
                Place place = new Place(key(2), FileName.of("f" + i));
                table.put(key(i), place);
                log.append(key(i), place);
                table.remove(key(i));
                log.append(key(i), null);
                largest = Math.max(largest, Files.size(logIn(base)));
            }
        }

        assertThat(largest).isLessThan(1 << 20);

        Map<FileKey, Place> read = new HashMap<>();
        try (HandleLog log = HandleLog.open(base, TREE, read)) {
            assertThat(log.wasClean()).isTrue();
        }
        assertThat(read).containsExactly(Map.entry(key(1), lasting));
    }

    /** A symbolic link to itself is like a medium that fails: nobody can tell whether there is a log. */
    @Test
    void open_logCannotBeRead_isRefusedAndTheLogStays() throws Exception {
        HandleLog.open(base, TREE, new HashMap<>()).close();
        Path log = logIn(base);
        Files.delete(log);
        Files.createSymbolicLink(log, log.getFileName());

        assertThatThrownBy(() -> HandleLog.open(base, TREE, new HashMap<>())).isInstanceOf(FileSystemException.class);

        assertThat(Files.isSymbolicLink(log)).isTrue();
    }

    @Test
    void open_tableWasIncomplete_isNotClean() throws Exception {
        try (HandleLog log = HandleLog.open(base, TREE, new HashMap<>())) {
            log.markIncomplete();
        }
        try (HandleLog log = HandleLog.open(base, TREE, new HashMap<>())) {
            assertThat(log.wasClean()).isFalse();
        }
    }

    @Test
    void open_afterTheHostsEndAndACleanStop_isStillNotClean() throws Exception {
        Place place = new Place(key(2), FileName.of("f"));
        byte[] torn;
        Map<FileKey, Place> table = new ConcurrentHashMap<>();
        try (HandleLog log = HandleLog.open(base, TREE, table)) {
            table.put(key(1), place);
            log.append(key(1), place);
            byte[] whole = Files.readAllBytes(logIn(base));
            torn = Arrays.copyOf(whole, whole.length - 1);
        }
        Files.write(logIn(base), torn);
        for (int start = 0; start < 3; start++) {
            // Each run stops cleanly, but no file was found again that the first run had lost.
            try (HandleLog log = HandleLog.open(base, TREE, new ConcurrentHashMap<>())) {
                assertThat(log.wasClean()).as("start %d", start).isFalse();
            }
        }
    }

    @Test
    void handle_lostByTheHostsEnd_isFoundAfterManyRestarts() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        Path state = base.resolve("state");
        Files.createFile(tree.resolve("f"));
        try (Fd rootFd = openDirectory(tree)) {
            FileHandle handle;
            byte[] before;
            try (TableHandles handles = open(rootFd, state)) {
                before = Files.readAllBytes(logIn(state));
                try (Fd file = OpenCalls.openAt(rootFd, FileName.of("f").toBytes(), OpenCalls.O_PATH)) {
                    handle = handles.of(file, AttributeReader.statx(file), handles.root(), FileName.of("f"));
                }
            }
            Files.write(logIn(state), before);
            open(rootFd, state).close();
            try (TableHandles handles = open(rootFd, state)) {
                handles.open(handle).close();
            }
        }
    }

    static TableHandles open(Fd rootFd, Path state) throws Exception {
        return new TableHandles(TREE, Superblock.of(AttributeReader.statx(rootFd)), rootFd, noFiles(rootFd), state);
    }

    @Test
    void log_whatTheHostsEndLeftOfItsEnd_isNeverCleanWithoutAllOfIt() throws Exception {
        Map<FileKey, Place> table = new ConcurrentHashMap<>();
        try (HandleLog log = HandleLog.open(base, TREE, table)) {
            for (int i = 10; i < 20; i++) {
                Place place = new Place(key(2), FileName.of("f" + i));
                table.put(key(i), place);
                log.append(key(i), place);
            }
        }
        byte[] whole = Files.readAllBytes(logIn(base));
        Map<FileKey, Place> read = new HashMap<>();

        HandleLog.open(base, TREE, read).close();

        assertThat(read).isEqualTo(table);

        for (int length = 0; length < whole.length; length++) {
            assertNotClean(Arrays.copyOf(whole, length), table);
            assertNotClean(Arrays.copyOf(Arrays.copyOf(whole, length), whole.length + 4096), table);
        }
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= (byte) (1 << at % 8);
            assertNotClean(changed, table);
        }
        // A part was written later than the part after it.
        for (int from = 8; from < whole.length; from += 64) {
            byte[] hole = whole.clone();
            Arrays.fill(hole, from, Math.min(from + 64, hole.length), (byte) 0);
            if (!Arrays.equals(hole, whole)) {
                assertNotClean(hole, table);
            }
        }
    }

    private void assertNotClean(byte[] left, Map<FileKey, Place> all) throws Exception {
        Files.write(logIn(base), left);
        Map<FileKey, Place> read = new HashMap<>();
        assertThat(HandleLog.read(logIn(base), read))
                .as(() -> HexFormat.of().formatHex(left))
                .isFalse();
        assertThat(all).containsAllEntriesOf(read);
    }

    @Test
    void close_logIsAboutToBeCompacted_isCleanAllTheSame() throws Exception {
        Place place = new Place(key(2), FileName.of("f"));
        for (int records = 4090; records < 4100; records++) {
            Path state = base.resolve("state" + records);
            try (HandleLog log = HandleLog.open(state, TREE, new ConcurrentHashMap<>())) {
                for (int i = 0; i < records; i++) {
                    log.append(key(1), place);
                }
            }
            try (HandleLog log = HandleLog.open(state, TREE, new ConcurrentHashMap<>())) {
                assertThat(log.wasClean()).as("%d records", records).isTrue();
            }
        }
    }

    static Fd openDirectory(Path path) throws Exception {
        return OpenCalls.open(
                path.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
    }

    /** A cache of open files that stays empty. */
    static FdCache noFiles(Fd rootFd) {
        Durability durability = new Durability(
                new Startup.KernelSyncCalls(), rootFd, new Durability.Kind(false, false), SyncWaits.UNCOUNTED);
        return new FdCache(0, durability, DescriptorBudget.of(1024), System::nanoTime);
    }
}
