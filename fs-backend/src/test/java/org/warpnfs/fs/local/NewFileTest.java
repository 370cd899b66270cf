package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Timestamp;

/**
 * A new file has its requested attributes from the start, and no other file is changed if it takes the new one's name.
 */
class NewFileTest {
    @TempDir
    Path base;

    private Path tree;

    @BeforeEach
    void prepare() throws Exception {
        tree = Files.createDirectory(base.resolve("tree"));
    }

    private static Fd open(Path path) throws Exception {
        return OpenCalls.open(path.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_PATH);
    }

    @Test
    void require_whatWasMade_isTaken() throws Exception {
        NewFile newFile = new NewFile(FileType.DIRECTORY, null);
        Path made = Files.createDirectory(tree.resolve("made"));
        try (Fd parent = open(tree);
                Fd file = open(made)) {
            newFile.require(parent, file);
        }
    }

    @Test
    void require_anOlderFileOrOneOfAnotherTypeOrOwner_isStale() throws Exception {
        Path old = Files.createDirectory(tree.resolve("old"));
        try (Fd file = open(old)) {
            age(file);
            NewFile newFile = new NewFile(FileType.DIRECTORY, null);
            Files.createDirectory(tree.resolve("made"));
            try (Fd parent = open(tree);
                    Fd made = open(tree.resolve("made"))) {
                assertStale(newFile, parent, file);
                newFile.require(parent, made);
                assertStale(new NewFile(FileType.FIFO, null), parent, made);
                long stranger = AttributeReader.statx(made).uid() + 1;
                Path owned = Files.createDirectory(tree.resolve("owned"));
                Assumptions.assumeTrue(LocalBackend.IS_ROOT, "only root gives files away");
                Files.setAttribute(owned, "unix:uid", (int) stranger + 1, LinkOption.NOFOLLOW_LINKS);
                try (Fd ofAnother = open(owned)) {
                    assertStale(new NewFile(FileType.DIRECTORY, stranger), parent, ofAnother);
                }
            }
        }
    }

    /**
     * Waits until the kernel's clock is so far beyond the birth of a file that no late tick explains the difference.
     */
    private void age(Fd file) throws Exception {
        long born = new Statx(file).nanos();
        Path later = base.resolve("later");
        while (true) {
            Files.createDirectory(later);
            try (Fd young = open(later)) {
                if (new Statx(young).nanos() > born + 1_500_000_000) {
                    return;
                }
            } finally {
                Files.delete(later);
            }
        }
    }

    /** Seen on a machine whose processors were busy: a symbolic link that had been created was answered with STALE. */
    @Test
    void require_whatWasMadeByALateTick_isTaken() throws Exception {
        Path made = Files.createDirectory(tree.resolve("made"));
        long born;
        try (Fd file = open(made)) {
            born = new Statx(file).nanos();
        }
        Path later = tree.resolve("later");
        while (true) {
            Files.createDirectory(later);
            try (Fd young = open(later)) {
                if (new Statx(young).nanos() > born + 100_000_000) {
                    break;
                }
            }
            Files.delete(later);
        }
        NewFile newFile = new NewFile(FileType.DIRECTORY, null);
        try (Fd parent = open(tree);
                Fd file = open(made)) {
            newFile.require(parent, file);
        }
    }

    private static void assertStale(NewFile newFile, Fd parent, Fd file) {
        assertThatThrownBy(() -> newFile.require(parent, file))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.STALE));
    }

    /** Birth of a file. */
    private record Statx(long nanos) {
        Statx(Fd fd) throws FsException {
            this(nanosOf(AttributeReader.statx(fd)));
        }

        private static long nanosOf(org.warpnfs.fs.local.libc.Statx statx) {
            return statx.birthSeconds() * 1_000_000_000L + statx.birthNanos();
        }
    }

    @Test
    void make_whileTheHostPutsAnothersFileInItsPlace_leavesThatAsItWas() throws Exception {
        Path victim = Files.createDirectory(tree.resolve("victim"));
        Path made = tree.resolve("made");
        Path away = base.resolve("away");
        Files.setAttribute(victim, "unix:mode", 0700);
        try (Fd file = open(victim)) {
            age(file);
        }
        Object timeBefore = Files.getLastModifiedTime(victim);
        AttributeChanges wanted =
                new AttributeChanges(0777, null, null, null, null, new TimeChange.To(new Timestamp(1_000_000_000, 0)));
        for (LocalOptions options : List.of(LocalOptions.DEFAULTS, LocalOptions.DEFAULTS.withoutPrivileges())) {
            AtomicBoolean ended = new AtomicBoolean();
            FutureTask<Integer> host = new FutureTask<>(() -> {
                int swaps = 0;
                while (!ended.get() || Files.exists(made)) {
                    if (Files.exists(made)) {
                        Files.move(made, away, StandardCopyOption.ATOMIC_MOVE);
                        Files.move(victim, made, StandardCopyOption.ATOMIC_MOVE);
                        swaps++;
                        Files.delete(away);
                        Files.move(made, victim, StandardCopyOption.ATOMIC_MOVE);
                    }
                }
                return swaps;
            });
            Thread.ofPlatform().start(host);
            try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
                for (int i = 0; i < 500; i++) {
                    try {
                        fs.makeDirectory(Caller.ROOT, fs.root(), FileName.of("made"), wanted);
                    } catch (FsException e) {
                        assertThat(e.error()).isIn(FsError.STALE, FsError.EXISTS, FsError.NO_ENTRY);
                    }
                }
            } finally {
                ended.set(true);
            }
            assertThat(host.get()).isPositive();
            assertThat((int) Files.getAttribute(victim, "unix:mode") & 07777).isEqualTo(0700);
            assertThat((Object) Files.getLastModifiedTime(victim)).isEqualTo(timeBefore);
        }
    }
}
