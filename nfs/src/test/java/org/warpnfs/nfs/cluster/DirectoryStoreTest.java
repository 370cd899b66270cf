package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryStoreTest extends ClusterStoreContract {
    @TempDir
    Path directory;

    private DirectoryStore store;

    @Override
    ClusterStore newStore() throws IOException {
        return DirectoryStore.open(directory);
    }

    @BeforeEach
    void open() throws IOException {
        store = DirectoryStore.open(directory);
    }

    @Test
    void replace_byANodeHeldUpUntilItsNumberWasRemoved_isRefused() throws IOException {
        ClusterRecord record = store.read().record();
        for (int version = 0; version < 2 * DirectoryStore.KEPT; version++) {
            assertThat(store.replace(version, record)).isTrue();
        }
        assertThat(Files.exists(directory.resolve("record/000000000000000002"))).isFalse();
        assertThat(store.replace(1, record.join("a"))).isFalse();
        assertThat(store.read()).isEqualTo(new ClusterStore.Versioned(2 * DirectoryStore.KEPT, record));
        try (var files = Files.list(directory.resolve("record"))) {
            assertThat(files.count()).isLessThanOrEqualTo(DirectoryStore.KEPT + 1);
        }
    }

    @Test
    void leftovers_ofACrashBeforeOrAfterTheLink_areIgnored() throws IOException {
        ClusterRecord record = store.read().record().join("a");
        Files.writeString(directory.resolve("record/new-1"), "warpnfs-clu");
        assertThat(store.replace(0, record)).isTrue();
        Files.createLink(directory.resolve("record/new-2"), directory.resolve("record/000000000000000001"));
        assertThat(DirectoryStore.open(directory).read()).isEqualTo(new ClusterStore.Versioned(1, record));
    }

    @Test
    void damagedRecord_everyByteChangedOrCutOff_isRefusedWithItsName() throws IOException {
        ClusterRecord record = store.read().record().join("a");
        assertThat(store.replace(0, record)).isTrue();
        Path file = directory.resolve("record/000000000000000001");
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 1;
            Files.write(file, changed);
            assertThatThrownBy(store::read).isInstanceOf(IOException.class).hasMessageContaining(file.toString());
            Files.write(file, Arrays.copyOf(whole, at));
            assertThatThrownBy(store::read).isInstanceOf(IOException.class).hasMessageContaining(file.toString());
        }
        Files.write(file, new byte[RecordText.MAX_BYTES + 1]);
        assertThatThrownBy(store::read).hasMessageContaining("larger");
    }

    @Test
    void files_areTheirUsersAlone() throws IOException {
        assertThat(store.replace(0, store.read().record().join("a"))).isTrue();
        store.beat("a", new Beat(1, 1, 0, false));
        for (String file : List.of("record/000000000000000001", "beats/a")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(file))))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("record"))))
                .isEqualTo("rwx------");
    }

    @Test
    void beat_thatIsASymbolicLink_isNotWrittenThrough() throws IOException {
        Path other = Files.writeString(directory.resolve("other"), "kept");
        Files.createSymbolicLink(directory.resolve("beats/a"), other);
        assertThatThrownBy(() -> store.beat("a", new Beat(1, 1, 0, false))).isInstanceOf(IOException.class);
        assertThat(other).hasContent("kept");
    }

    @Test
    void beat_halfOldAndHalfNew_isNone() throws IOException {
        store.beat("a", new Beat(3, 19, 9, false));
        Path file = directory.resolve("beats/a");
        byte[] old = Files.readAllBytes(file);
        store.beat("a", new Beat(3, 20, 10, true));
        byte[] mixed = Files.readAllBytes(file);
        for (int at = 1; at < mixed.length; at++) {
            byte[] torn = mixed.clone();
            System.arraycopy(old, 0, torn, 0, at);
            Files.write(file, torn);
            if (!Arrays.equals(torn, old) && !Arrays.equals(torn, mixed)) {
                assertThat(store.beats(Set.of("a"))).as("cut at %s", at).isEmpty();
            }
        }
        Files.writeString(file, "not a beat");
        assertThat(store.beats(Set.of("a"))).isEmpty();
    }

    @Test
    void newFiles_thatCrashesLeftLongAgo_areRemovedByAStart() throws IOException {
        Path old = Files.writeString(directory.resolve("record/new-1"), "warpnfs-clu");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
        Path young = Files.writeString(directory.resolve("record/new-2"), "warpnfs-clu");
        assertThat(DirectoryStore.open(directory).read().version()).isZero();
        assertThat(old).doesNotExist();
        assertThat(young).exists();
    }
}
