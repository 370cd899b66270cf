package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.fs.local.libc.DirectoryStream;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileSystem;

/** What a listing reads and looks up in directories of different sizes, counted in calls and not in time. */
class ListingScaleTest {
    /** Names of one reply. */
    private static final int PAGE = 20;
    /** The kernel is asked for bytes, which hold some more names if they are short. */
    private static final int MOST_READ = 2 * PAGE;

    @TempDir
    Path tree;

    private int reads;
    private int namesRead;
    private int lookups;

    private final Listing.Calls counted = new Listing.KernelCalls() {
        @Override
        public List<DirectoryStream.Entry> next(DirectoryStream stream, int wanted) throws ErrnoException {
            List<DirectoryStream.Entry> entries = super.next(stream, wanted);
            reads++;
            namesRead += entries.size();
            return entries;
        }

        @Override
        public Statx statx(Fd directory, byte[] name, int wanted) throws ErrnoException {
            lookups++;
            return super.statx(directory, name, wanted);
        }
    };

    private void fill(int names) throws Exception {
        for (int i = 0; i < names; i++) {
            Files.createFile(tree.resolve("file-" + i));
        }
    }

    /** The entries of one reply, from a cookie on. */
    private List<DirectoryEntry> page(TreeContext context, long cookie, int most) throws Exception {
        List<DirectoryEntry> taken = new ArrayList<>();
        // By this clock the directory has not changed for long.
        Listing listing = new Listing(context, counted, () -> Long.MAX_VALUE / 2);
        listing.list(Caller.ROOT, context.handles().root(), cookie, FileAttribute.ALL, new FileSystem.EntryVisitor() {
            @Override
            public boolean visit(DirectoryEntry entry) {
                return taken.size() < most && taken.add(entry);
            }

            @Override
            public int room() {
                return most - taken.size() + 1;
            }
        });
        return taken;
    }

    private void forget() {
        reads = 0;
        namesRead = 0;
        lookups = 0;
    }

    private interface Use {
        void of(TreeContext context) throws Exception;
    }

    private void inTree(Use use) throws Exception {
        TreeContext context = Startup.open(tree, LocalOptions.DEFAULTS, new Startup.KernelSyncCalls());
        try {
            assumeThat(context.handles()).isInstanceOf(KernelHandles.class);
            use.of(context);
        } finally {
            context.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 10_000})
    void page_atAnyPlace_costsTheSameHoweverLargeTheDirectory(int names) throws Exception {
        fill(names);
        inTree(context -> {
            List<DirectoryEntry> all = page(context, 0, names);
            assertThat(all).hasSize(names);
            for (long cookie : List.of(
                    0L, all.get(names / 2).cookie(), all.get(names - PAGE - 1).cookie())) {
                forget();
                assertThat(page(context, cookie, PAGE)).hasSize(PAGE);
                assertThat(reads).as("getdents64").isBetween(1, 2);
                assertThat(namesRead).as("names").isBetween(PAGE, MOST_READ);
                assertThat(lookups).as("files examined").isBetween(PAGE, PAGE + 1);
            }
        });
    }

    @Test
    void pages_ofAWholeDirectory_costInProportionToItsNames() throws Exception {
        int names = 5_000;
        fill(names);
        inTree(context -> {
            int seen = 0;
            long cookie = 0;
            for (List<DirectoryEntry> page = page(context, cookie, PAGE);
                    !page.isEmpty();
                    page = page(context, cookie, PAGE)) {
                seen += page.size();
                cookie = page.getLast().cookie();
            }
            assertThat(seen).isEqualTo(names);
            assertThat(reads).as("getdents64").isLessThanOrEqualTo(2 * names / PAGE + 2);
            assertThat(namesRead).as("names").isLessThanOrEqualTo(2 * names);
            assertThat(lookups).as("files examined").isLessThanOrEqualTo(names + names / PAGE);
        });
    }
}
