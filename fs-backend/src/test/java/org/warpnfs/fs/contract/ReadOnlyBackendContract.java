package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;

/** Everything that a backend guarantees whose tree cannot be written. {@link BackendContract} is for all others. */
public abstract class ReadOnlyBackendContract {
    /** A tree with the files of {@link SampleTree}, for one test. */
    protected abstract Backend backend() throws Exception;

    @Nested
    class Reading extends ReadingContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    /** What is refused, and how. */
    @Nested
    class Refused extends ContractFixture {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }

        @Test
        void tree_asItSays_cannotBeWritten() {
            assertThat(can(Capability.WRITE))
                    .as("for a tree that can, there is BackendContract")
                    .isFalse();
        }

        @Test
        void changes_ofAnyKind_areRefused() throws Exception {
            new Refusals(this).readOnly(root, "new");
            new Refusals(this).readOnly(lookup(root, "a").handle(), "new");
            FileHandle file = lookup(root, "hello.txt").handle();
            assertFails(FsError.READ_ONLY, () -> fs.remove(ROOT, root, name("hello.txt")));
            assertFails(FsError.READ_ONLY, () -> fs.setAttributes(ROOT, file, AttributeChanges.ofSize(0)));
            assertFails(FsError.READ_ONLY, () -> fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0)));
            assertThat(read(file, 0, 5)).isEqualTo(bytes("hello"));
        }

        @Test
        void open_forWriting_isRefused() throws Exception {
            FileHandle file = lookup(root, "hello.txt").handle();
            assertFails(FsError.READ_ONLY, () -> fs.open(ROOT, file, OpenAccess.WRITE));
            assertFails(FsError.READ_ONLY, () -> fs.open(ROOT, file, OpenAccess.READ_WRITE));
        }

        @Test
        void capability_thatIsMissing_isRefused() throws Exception {
            FileHandle file = lookup(root, "hello.txt").handle();
            if (!can(Capability.XATTRS)) {
                new Refusals(this).xattrs(file, FsError.READ_ONLY);
            }
            if (!can(Capability.ACLS)) {
                new Refusals(this).acls(file, FsError.READ_ONLY);
            }
            if (!can(Capability.SPACE)) {
                assertThat(fs.statistics()).isEqualTo(FsStatistics.UNKNOWN);
            }
            if (!can(Capability.LOCKS)) {
                assertFails(FsError.NOT_SUPPORTED, () -> fs.openLocks(file, OpenAccess.READ));
            }
            if (!can(Capability.LEASES)) {
                assertFails(FsError.NOT_SUPPORTED, () -> fs.lease(file, Lease.Kind.READ, () -> {}));
            }
            if (!can(Capability.PERSISTENT_HANDLES)) {
                restart();
                assertFails(FsError.STALE, () -> attributes(file));
            }
        }
    }
}
