package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;

/** A file has one identity, whatever tree it was reached through. */
class FileIdentityTest {
    private static final List<LocalOptions> KINDS =
            List.of(LocalOptions.DEFAULTS, LocalOptions.DEFAULTS.withoutKernelHandles());

    @TempDir
    Path base;

    private Path outer;
    private Path inner;

    @BeforeEach
    void prepare() throws Exception {
        outer = Files.createDirectory(base.resolve("outer"));
        inner = Files.createDirectory(outer.resolve("inner"));
        Files.writeString(inner.resolve("f"), "text");
        Files.createLink(inner.resolve("other-name"), inner.resolve("f"));
        Files.writeString(inner.resolve("g"), "text");
    }

    private static FileHandle walk(FileSystem fs, String... names) throws Exception {
        FileHandle at = fs.root();
        for (String name : names) {
            at = fs.lookup(Caller.ROOT, at, FileName.of(name)).handle();
        }
        return at;
    }

    @Test
    void identity_throughTreesOfOneDirectoryAndNestedOnes_isOne() throws Exception {
        for (LocalOptions options : KINDS) {
            try (LocalFileSystem one = LocalFileSystem.open(outer, options);
                    LocalFileSystem same = LocalFileSystem.open(outer, options);
                    LocalFileSystem nested = LocalFileSystem.open(inner, options)) {
                FileIdentity file = one.identity(walk(one, "inner", "f"));
                assertThat(same.identity(walk(same, "inner", "f"))).isEqualTo(file);
                assertThat(nested.identity(walk(nested, "f"))).isEqualTo(file).hasSameHashCodeAs(file);
                assertThat(nested.identity(walk(nested, "other-name"))).isEqualTo(file);
                assertThat(nested.identity(nested.root())).isEqualTo(one.identity(walk(one, "inner")));
                assertThat(nested.identity(walk(nested, "g"))).isNotEqualTo(file);
                assertThat(walk(nested, "f")).as("handles of different trees").isNotEqualTo(walk(one, "inner", "f"));
            }
        }
    }

    @Test
    void identity_throughABindMount_isOne() throws Exception {
        Mounts.assumePossible();
        Path bound = Files.createDirectory(base.resolve("bound"));
        try (Mounts mounts = new Mounts()) {
            mounts.bind(inner, bound);
            for (LocalOptions options : KINDS) {
                try (LocalFileSystem one = LocalFileSystem.open(outer, options);
                        LocalFileSystem through = LocalFileSystem.open(bound, options)) {
                    assertThat(through.identity(walk(through, "f"))).isEqualTo(one.identity(walk(one, "inner", "f")));
                }
            }
        }
    }

    @Test
    void identity_ofFilesMadeOneAfterAnother_neverComesTwice() throws Exception {
        for (LocalOptions options : KINDS) {
            Set<FileIdentity> seen = new HashSet<>();
            try (LocalFileSystem fs = LocalFileSystem.open(outer, options)) {
                for (int i = 0; i < 200; i++) {
                    Files.writeString(outer.resolve("one"), "text");
                    assertThat(seen.add(fs.identity(walk(fs, "one")))).isTrue();
                    Files.delete(outer.resolve("one"));
                }
            }
        }
    }

    @Test
    void identity_ofHandlesThatAreNotTheTreesOwn_isStillOneForEach() throws Exception {
        try (LocalFileSystem one = LocalFileSystem.open(outer, LocalOptions.DEFAULTS);
                LocalFileSystem nested = LocalFileSystem.open(inner, LocalOptions.DEFAULTS)) {
            FileHandle foreign = walk(one, "inner", "f");

            assertThat(nested.identity(foreign)).isNotEqualTo(one.identity(foreign));

            FileHandle nonsense = FileHandle.of(new byte[] {1, 2});
            assertThat(one.identity(nonsense)).isEqualTo(one.identity(nonsense));
            assertThat(one.identity(FileHandle.of(new byte[0]))).isNotEqualTo(one.identity(nonsense));
        }
    }

    @Test
    void identity_inMemory_isOfOneInstance() throws Exception {
        try (MemoryFileSystem one = new MemoryFileSystem(1 << 20, 100);
                MemoryFileSystem other = new MemoryFileSystem(1 << 20, 100)) {
            assertThat(one.identity(one.root())).isEqualTo(one.identity(one.root()));
            assertThat(one.identity(one.root())).isNotEqualTo(other.identity(other.root()));
        }
    }
}
