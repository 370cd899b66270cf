package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.warpnfs.fs.local.ShortCalls.newFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.libc.DescriptorPressure;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** What the server does for itself while a thread acts as a caller: the caller's permissions do not matter for it. */
class ServersOwnWorkTest {
    private static final Caller USER = new Caller(1000, 1000, List.of(2000L, 3000L));
    /** Each adds two records to the log of handles, which is rewritten after some 4100. */
    private static final int LISTINGS = 2500;

    private Path base;
    private Path tree;

    @BeforeEach
    void makeTree() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "only root lends identities");
        base = TmpfsDirectory.make("warpnfs-own-work");
        tree = Files.createDirectory(base.resolve("tree"));
    }

    @AfterEach
    void removeTree() throws Exception {
        if (base != null) {
            TmpfsDirectory.remove(base);
        }
    }

    /** Open files that are closed for room are synced first, which changes a file of the server. */
    @Test
    void descriptorsAreShort_inACallOfAUser_losesNoData() throws Exception {
        try (LocalFileSystem fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS)) {
            FileHandle file = newFile(fs, fs.root(), "f");
            try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
                open.write(ByteBuffer.allocate(10), 0, Stability.UNSTABLE);
            }
            long before = fs.writeVerifier();
            List<String> identities = new ArrayList<>();
            identities.add(identity());

            new KernelAuthority(-1).runAs(USER, () -> {
                identities.add(identity());
                assertThat(DescriptorPressure.relieve()).isTrue();
                identities.add(identity());
            });

            identities.add(identity());
            assertThat(fs.writeVerifier()).isEqualTo(before);
            assertThat(identities.get(1)).isNotEqualTo(identities.get(0)).isEqualTo(identities.get(2));
            assertThat(identities.get(3)).isEqualTo(identities.get(0));
        }
    }

    @Test
    void ownWork_fails_leavesTheThreadItsCaller() throws Exception {
        new KernelAuthority(-1).runAs(USER, () -> {
            String asUser = identity();
            assertThatThrownBy(() -> CallerIdentity.asOneself(() -> {
                        assertThat(identity()).isNotEqualTo(asUser);
                        throw new IOException("no room");
                    }))
                    .isInstanceOf(IOException.class);
            assertThat(identity()).isEqualTo(asUser);
        });
    }

    /** The two names of a file take turns as its place, so that each listing writes to the log. */
    @Test
    void manyListings_ofAUser_keepTheLogOfHandlesComplete() throws Exception {
        Path state = base.resolve("state");
        LocalOptions options = LocalOptions.DEFAULTS.withoutKernelHandles().withStateDirectory(state);
        try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
            fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0755));
            fs.link(Caller.ROOT, newFile(fs, fs.root(), "one"), fs.root(), FileName.of("two"));
            for (int i = 0; i < LISTINGS; i++) {
                assertThat(fs.list(USER, fs.root(), 0, true, entry -> entry.node() != null))
                        .isTrue();
            }
        }

        Map<FileKey, Place> table = new HashMap<>();
        assertThat(HandleLog.read(HandleLogTest.logIn(state), table)).isTrue();
        assertThat(table).hasSize(1);
    }

    private static String identity() {
        try {
            return String.join(
                    "\n",
                    Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                            .filter(line -> line.startsWith("Uid:")
                                    || line.startsWith("Gid:")
                                    || line.startsWith("Groups:")
                                    || line.startsWith("CapEff:"))
                            .toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
