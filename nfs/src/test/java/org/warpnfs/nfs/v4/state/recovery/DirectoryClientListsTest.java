package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** The lists of a cluster's recovery log in a directory. */
class DirectoryClientListsTest extends ClientListsContract {
    @TempDir
    Path directory;

    @Override
    ClientLists lists(int instance) throws IOException {
        return new DirectoryClientLists(directory);
    }

    @Override
    Set<Opaque> list(long epoch, int instance) throws IOException {
        return FileClientList.read(directory.resolve("clients-" + epoch + "-" + instance + ".log"));
    }

    /** A process that was held up since it joined, while another took its place. */
    @Test
    void listsOfLaterInstances_stay() throws IOException {
        try (ClusterRecoveryLog log = open(3, 7, null)) {
            log.add(ANN);
        }
        try (ClusterRecoveryLog _ = open(2, 6, new Member.Records(5, 1))) {
            assertThat(Files.exists(directory.resolve("clients-7-3.log"))).isTrue();
        }
        try (ClusterRecoveryLog log = open(4, 8, new Member.Records(7, 3))) {
            assertThat(log.reclaimers()).containsExactly(ANN);
            assertThat(Files.exists(directory.resolve("clients-6-2.log"))).isFalse();
        }
    }

    @Test
    void damagedList_isRefusedWithItsName() throws IOException {
        try (ClusterRecoveryLog log = open(1, 5, null)) {
            log.add(ANN);
        }
        Path file = directory.resolve("clients-5-1.log");
        byte[] bytes = Files.readAllBytes(file);
        bytes[40] ^= 1;
        Files.write(file, bytes);
        assertThatThrownBy(() -> open(2, 6, new Member.Records(5, 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }
}
