package org.warpnfs.fs.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;

/** Names that are exchanged and exchanged back between the calls by which a listing looks them up. */
class ExchangedWhileListedTest {
    private static final int NAMES = 8;

    @TempDir
    Path base;

    private Path tree;
    private Path others;
    private TreeContext context;
    private int lookups;

    @BeforeEach
    void open() throws Exception {
        tree = Files.createDirectory(base.resolve("tree"));
        others = Files.createDirectory(base.resolve("others"));
        for (int i = 0; i < NAMES; i++) {
            Files.createFile(tree.resolve("f" + i));
            Files.createFile(others.resolve("f" + i));
        }
        context = Startup.open(tree, LocalOptions.DEFAULTS, new Startup.KernelSyncCalls());
        assumeThat(context.handles()).isInstanceOf(KernelHandles.class);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void list_namesAreExchangedTwice_eachHandleHasItsOwnAttributes() throws Exception {
        Set<String> exchanged = new HashSet<>();
        Change exchange = name -> {
            exchange(tree.resolve(name), others.resolve(name));
            exchanged.add(name);
        };
        Change exchangeBack = name -> {
            if (exchanged.remove(name)) {
                exchange(tree.resolve(name), others.resolve(name));
            }
        };

        List<DirectoryEntry> entries = listed(exchange, exchangeBack, laterBy(60));

        assertThat(lookups).as("names that were looked up by two calls").isPositive();
        assertThat(entries).hasSize(NAMES);
        for (DirectoryEntry entry : entries) {
            FileNode node = Objects.requireNonNull(entry.node());
            try (Fd file = context.open(node.handle())) {
                assertThat(node.attributes().fileId())
                        .isEqualTo(AttributeCalls.statx(file).inode());
            }
        }
    }

    @Test
    void list_nothingHasChangedForLong_opensNoFile() throws Exception {
        listed(name -> {}, name -> {}, laterBy(60));
        assertThat(lookups).isEqualTo(NAMES);
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 0, -60})
    void list_coarseClockCouldHideAChange_opensEachFile(long secondsSinceChange) throws Exception {
        assertThat(listed(name -> {}, name -> {}, laterBy(secondsSinceChange))).hasSize(NAMES);
        assertThat(lookups).isZero();
    }

    private void exchange(Path one, Path other) throws IOException {
        Path between = base.resolve("between");
        Files.move(one, between);
        Files.move(other, one);
        Files.move(between, other);
    }

    private LongSupplier laterBy(long seconds) throws IOException {
        long changed = Files.getLastModifiedTime(tree).to(TimeUnit.SECONDS);
        return () -> changed + seconds;
    }

    /**
     * Lists the tree.
     *
     * @param betweenNamesAndHandles made for all names when they have been read
     * @param betweenHandleAndAttributes made for each name when its handle has been made
     */
    private List<DirectoryEntry> listed(
            Change betweenNamesAndHandles, Change betweenHandleAndAttributes, LongSupplier clock) throws Exception {
        List<DirectoryEntry> entries = new ArrayList<>();
        Listing.Calls calls = new Listing.KernelCalls() {
            @Override
            public Statx statx(Fd directory, byte[] name, int wanted) throws ErrnoException {
                lookups++;
                make(betweenHandleAndAttributes, new String(name, UTF_8));
                return super.statx(directory, name, wanted);
            }
        };
        Listing listing = new Listing(context, calls, clock);
        listing.list(Caller.ROOT, context.handles().root(), 0, FileAttribute.ALL, new FileSystem.EntryVisitor() {
            private int asked;

            @Override
            public boolean visit(DirectoryEntry entry) {
                entries.add(entry);
                return true;
            }

            @Override
            public int room() {
                asked++;
                // It is asked first before the names are read, and next before their files are looked up.
                if (asked == 2) {
                    for (int i = 0; i < NAMES; i++) {
                        make(betweenNamesAndHandles, "f" + i);
                    }
                }
                return NAMES;
            }
        });
        return entries;
    }

    private static void make(Change change, String name) {
        try {
            change.make(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Change {
        void make(String name) throws IOException;
    }
}
