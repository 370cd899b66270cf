package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/** Leases on files that nobody else uses. What others do to them is for the tests of each backend. */
@Needs(Capability.LEASES)
public abstract class LeaseContract extends ContractFixture {
    private FileHandle file;

    @BeforeEach
    void create() throws Exception {
        file = file(root, "leased");
    }

    @Test
    void lease_onAQuietFile_isTakenAndReleased() throws Exception {
        for (int round = 0; round < 2; round++) {
            Optional<Lease> lease = fs.lease(file, Lease.Kind.READ, () -> {});
            assertThat(lease.map(Lease::kind)).contains(Lease.Kind.READ);
            lease.orElseThrow().close();
            lease.orElseThrow().close();
        }
    }

    @Test
    void readLease_ofAFileThatIsRead_isTaken() throws Exception {
        try (OpenFile _ = fs.open(ROOT, file, OpenAccess.READ)) {
            Optional<Lease> lease = fs.lease(file, Lease.Kind.READ, () -> {});
            assertThat(lease).isPresent();
            try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
                assertThat(read(open, 0, 1)).isEmpty();
            }
            lease.orElseThrow().close();
        }
    }

    @Test
    void lease_onWhatIsNoFile_isRefused() throws Exception {
        FileHandle directory = directory(root, "d");
        assertFails(FsError.IS_DIRECTORY, () -> fs.lease(directory, Lease.Kind.READ, () -> {}));
        fs.remove(ROOT, root, name("leased"));
        assertFails(FsError.STALE, () -> fs.lease(file, Lease.Kind.READ, () -> {}));
    }
}
