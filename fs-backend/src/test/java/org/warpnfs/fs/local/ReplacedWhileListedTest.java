package org.warpnfs.fs.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;

/** Names that change between the time when the directory is read and the time when their files are looked up. */
class ReplacedWhileListedTest {
    private static final int NAMES = 8;

    @TempDir
    Path base;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void list_namesAreReplaced_eachHandleHasItsOwnAttributes(boolean kernelHandles) throws Exception {
        Path tree = tree();
        Path others = Files.createDirectory(base.resolve("others"));
        List<DirectoryEntry> entries = listed(tree, kernelHandles, name -> {
            Path other = Files.createFile(others.resolve(name));
            Files.move(other, tree.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        });
        assertThat(entries).hasSize(NAMES);
        try (LocalFileSystem fs = open(tree, kernelHandles)) {
            for (DirectoryEntry entry : entries) {
                FileNode node = Objects.requireNonNull(entry.node());
                FileNode now = fs.lookup(Caller.ROOT, fs.root(), entry.name());
                if (node.handle().equals(now.handle())) {
                    assertThat(node.attributes().fileId())
                            .isEqualTo(now.attributes().fileId());
                }
            }
            // All but the first, which had been looked up before, were found after they were replaced.
            assertThat(entries.subList(1, NAMES))
                    .allMatch(entry -> isCurrent(fs, entry), "is the file that has the name now");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void list_namesAreRemoved_theyHaveNoAttributes(boolean kernelHandles) throws Exception {
        Path tree = tree();
        List<DirectoryEntry> entries = listed(tree, kernelHandles, name -> Files.delete(tree.resolve(name)));
        assertThat(entries).hasSize(NAMES);
        assertThat(entries.subList(1, NAMES))
                .allMatch(entry -> entry.node() == null && entry.error() == FsError.NO_ENTRY);
    }

    private static boolean isCurrent(LocalFileSystem fs, DirectoryEntry entry) {
        try {
            FileNode now = fs.lookup(Caller.ROOT, fs.root(), entry.name());
            FileNode listed = Objects.requireNonNull(entry.node());
            return listed.handle().equals(now.handle())
                    && listed.attributes().fileId() == now.attributes().fileId();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Path tree() throws IOException {
        Path tree = Files.createDirectory(base.resolve("tree"));
        for (int i = 0; i < NAMES; i++) {
            Files.createFile(tree.resolve("f" + i));
        }
        return tree;
    }

    private LocalFileSystem open(Path tree, boolean kernelHandles) throws Exception {
        LocalOptions options = LocalOptions.DEFAULTS.withStateDirectory(base.resolve("state"));
        return LocalFileSystem.open(tree, kernelHandles ? options : options.withoutKernelHandles());
    }

    /** Lists the tree, and at the first entry changes all names but that one. All names have been read by then. */
    private List<DirectoryEntry> listed(Path tree, boolean kernelHandles, Change change) throws Exception {
        List<DirectoryEntry> entries = new ArrayList<>();
        try (LocalFileSystem fs = open(tree, kernelHandles)) {
            fs.list(Caller.ROOT, fs.root(), 0, true, new FileSystem.EntryVisitor() {
                @Override
                public boolean visit(DirectoryEntry entry) {
                    entries.add(entry);
                    if (entries.size() == 1) {
                        changeAllBut(entry.name());
                    }
                    return true;
                }

                private void changeAllBut(FileName first) {
                    for (int i = 0; i < NAMES; i++) {
                        String name = "f" + i;
                        if (!Arrays.equals(first.toBytes(), name.getBytes(UTF_8))) {
                            try {
                                change.make(name);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        }
                    }
                }

                @Override
                public int room() {
                    return 1;
                }
            });
        }
        return entries;
    }

    private interface Change {
        void make(String name) throws IOException;
    }
}
