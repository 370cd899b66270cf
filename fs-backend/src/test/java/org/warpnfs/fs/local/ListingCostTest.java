package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileSystem;

/** Number of files that a listing examines. Each file for which a handle was made is in the table of handles. */
class ListingCostTest {
    private static final int NAMES = 700;

    @TempDir
    Path base;

    private Path tree;
    private Path state;

    @BeforeEach
    void prepare() throws Exception {
        tree = Files.createDirectory(base.resolve("tree"));
        state = base.resolve("state");
        for (int i = 0; i < NAMES; i++) {
            Files.createFile(tree.resolve("f" + i));
        }
    }

    private int handlesAfterTaking(int count, boolean withNodes) throws Exception {
        LocalOptions options = LocalOptions.DEFAULTS.withoutKernelHandles().withStateDirectory(state);
        Taking taking = new Taking(count);
        try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
            fs.list(Caller.ROOT, fs.root(), 0, withNodes, taking);
        }
        assertThat(taking.taken).hasSize(Math.min(count, NAMES));
        return HandleLogTest.entriesIn(state);
    }

    /** Takes so many entries, and says how many more it will take. */
    private static final class Taking implements FileSystem.EntryVisitor {
        private final List<DirectoryEntry> taken = new ArrayList<>();
        private final int count;

        Taking(int count) {
            this.count = count;
        }

        @Override
        public boolean visit(DirectoryEntry entry) {
            return taken.size() < count && taken.add(entry);
        }

        @Override
        public int room() {
            return count - taken.size() + 1;
        }
    }

    @Test
    void list_fewFit_looksAtThoseAndOneMore() throws Exception {
        assertThat(handlesAfterTaking(5, true)).isBetween(5, 6);
    }

    @Test
    void list_twentyFit_looksAtThoseAndOneMore() throws Exception {
        assertThat(handlesAfterTaking(20, true)).isBetween(20, 21);
    }

    @Test
    void list_allFit_looksAtAll() throws Exception {
        assertThat(handlesAfterTaking(NAMES + 1, true)).isEqualTo(NAMES);
    }

    @Test
    void list_withoutNodes_looksAtNone() throws Exception {
        assertThat(handlesAfterTaking(NAMES + 1, false)).isZero();
    }
}
