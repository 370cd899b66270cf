package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Many threads at the same time. */
public abstract class ConcurrencyContract extends ContractFixture {
    private static final int THREADS = 6;

    private interface Work {
        void run(int thread) throws Exception;
    }

    private interface Step {
        void run() throws Exception;
    }

    /**
     * Repeats one step of a race until it succeeds. A backend may answer TRY_LATER, for example while it searches the
     * tree for another file, and a client then repeats the call. The time limit of {@link #inParallel} ends the test if
     * a backend does so for ever.
     */
    private static void untilItIsTime(Step step) throws Exception {
        while (true) {
            try {
                step.run();
                return;
            } catch (FsException e) {
                if (e.error() != FsError.TRY_LATER) {
                    throw e;
                }
                Thread.sleep(1);
            }
        }
    }

    private static void inParallel(Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                running.add(threads.submit(() -> {
                    work.run(thread);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void writers_ofTheirOwnRanges_allSeeTheirData() throws Exception {
        FileHandle file = file(root, "f");
        int piece = 100_003;

        inParallel(thread -> {
            try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
                for (int round = 0; round < 10; round++) {
                    byte[] data = random(thread * 100L + round, piece);
                    open.write(ByteBuffer.wrap(data), (long) thread * piece, Stability.UNSTABLE);
                    assertThat(read(open, (long) thread * piece, piece)).isEqualTo(data);
                }
            }
        });

        assertThat(attributes(file).sizeBytes()).isEqualTo((long) THREADS * piece);
    }

    @Test
    void creators_ofOneName_oneWins() throws Exception {
        AtomicInteger winners = new AtomicInteger();
        Set<FileHandle> handles = ConcurrentHashMap.newKeySet();
        for (int round = 0; round < 5; round++) {
            String name = "f" + round;
            winners.set(0);
            handles.clear();
            inParallel(thread -> {
                try {
                    handles.add(file(root, name));
                    winners.incrementAndGet();
                } catch (FsException e) {
                    assertThat(e.error()).isEqualTo(FsError.EXISTS);
                }
                handles.add(fs.create(ROOT, root, name(name), new CreateMode.Unchecked(AttributeChanges.NONE))
                        .node()
                        .handle());
            });
            assertThat(winners.get()).isOne();
            assertThat(handles).hasSize(1);
        }
    }

    @Test
    @Needs(Capability.RENAME)
    void renamersAndReaders_ofTheSameNames_seeWholeFiles() throws Exception {
        FileHandle a = directory(root, "a");
        FileHandle b = directory(root, "b");
        for (int i = 0; i < 4; i++) {
            write(file(a, "f" + i), 0, bytes("content"));
        }
        inParallel(thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 60; i++) {
                FileHandle from = random.nextBoolean() ? a : b;
                FileHandle to = random.nextBoolean() ? a : b;
                String name = "f" + random.nextInt(4);
                String newName = "f" + random.nextInt(4);
                try {
                    untilItIsTime(() -> {
                        if (thread % 2 == 0) {
                            fs.rename(ROOT, from, name(name), to, name(newName));
                        } else {
                            FileHandle found = lookup(from, name).handle();
                            assertThat(read(found, 0, 10)).isEqualTo(bytes("content"));
                            names(to);
                        }
                    });
                } catch (FsException e) {
                    assertThat(e.error()).isIn(FsError.NO_ENTRY, FsError.STALE);
                }
            }
        });
        List<String> left = new ArrayList<>(names(a));
        left.addAll(names(b));

        assertThat(left).hasSizeBetween(1, 4);
    }

    @Test
    @Needs(Capability.RENAME)
    void renamers_ofDirectoriesIntoEachOther_makeNoLoop() throws Exception {
        FileHandle[] directories = new FileHandle[4];
        for (int i = 0; i < directories.length; i++) {
            directories[i] = directory(root, "d" + i);
        }
        inParallel(thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 40; i++) {
                int moved = random.nextInt(directories.length);
                FileHandle other = directories[random.nextInt(directories.length)];
                FileHandle to = random.nextInt(3) == 0 ? root : other;
                try {
                    untilItIsTime(() -> {
                        FileHandle from =
                                fs.lookupParent(ROOT, directories[moved]).handle();
                        fs.rename(ROOT, from, name("d" + moved), to, name("d" + moved));
                    });
                } catch (FsException e) {
                    assertThat(e.error()).isIn(FsError.NO_ENTRY, FsError.INVALID, FsError.NOT_EMPTY);
                }
            }
        });
        for (FileHandle directory : directories) {
            FileHandle at = directory;
            for (int depth = 0; !at.equals(root); depth++) {
                assertThat(depth).isLessThan(5);
                at = fs.lookupParent(ROOT, at).handle();
            }
        }
    }

    @Test
    void openersAndRemovers_ofOneName_readOrFindItGone() throws Exception {
        inParallel(thread -> {
            for (int i = 0; i < 30; i++) {
                try {
                    untilItIsTime(thread % 2 == 0 ? this::makeAndRemove : this::openAndRead);
                } catch (FsException e) {
                    assertThat(e.error()).isIn(FsError.NO_ENTRY, FsError.STALE);
                }
            }
        });
    }

    private void makeAndRemove() throws Exception {
        FileHandle file = fs.create(
                        ROOT, root, name("f"), new CreateMode.Unchecked(AttributeChanges.ofPermissions(0600)))
                .node()
                .handle();
        write(file, 0, bytes("x"));
        fs.remove(ROOT, root, name("f"));
    }

    private void openAndRead() throws Exception {
        try (OpenFile open = fs.open(ROOT, lookup(root, "f").handle(), OpenAccess.READ)) {
            assertThat(read(open, 0, 10).length).isLessThanOrEqualTo(1);
            open.attributes();
        }
    }

    @Test
    void callers_onManyThreads_areNotMixedUp() throws Exception {
        onlyIf(backend.actsAsCaller(), "new files belong to the server's user");
        FileHandle open = directory(ROOT, root, "open", 0777);
        inParallel(thread -> {
            for (int i = 0; i < 40; i++) {
                Caller caller = new Caller(5000 + thread, 6000 + thread, List.of(7000L + i % 3));
                FileHandle directory = directory(caller, open, "d-" + thread + "-" + i, 0700);
                assertThat(attributes(directory).uid()).isEqualTo(caller.uid());
                FileHandle file = file(caller, directory, "f", 0600);
                assertThat(attributes(file).uid()).isEqualTo(caller.uid());
                assertThat(attributes(file).gid()).isEqualTo(caller.gid());
                Caller other = new Caller(9000 + thread, 6000 + thread, List.of());
                assertFails(FsError.ACCESS, () -> fs.lookup(other, directory, name("f")));
                assertFails(FsError.ACCESS, () -> fs.open(other, file, OpenAccess.READ));
            }
        });
    }

    @Test
    void changeId_ofParallelWrites_neverStandsStill() throws Exception {
        FileHandle file = file(root, "f");
        inParallel(thread -> {
            try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
                for (int i = 0; i < 50; i++) {
                    long before = open.attributes().changeId();
                    open.write(ByteBuffer.wrap(bytes("x")), thread, Stability.UNSTABLE);
                    assertThat(open.attributes().changeId()).isGreaterThan(before);
                }
            }
        });
    }
}
