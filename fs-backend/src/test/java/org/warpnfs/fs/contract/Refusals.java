package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.contract.ContractFixture.ROOT;
import static org.warpnfs.fs.contract.ContractFixture.assertFails;
import static org.warpnfs.fs.contract.ContractFixture.bytes;
import static org.warpnfs.fs.contract.ContractFixture.name;

import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.XattrMode;

/** How a backend refuses what it does not have: with the error that the SPI names, and without changing anything. */
final class Refusals {
    private static final AttributeChanges NONE = AttributeChanges.NONE;

    private final ContractFixture test;
    private final FileSystem fs;
    private final FileHandle root;
    private String name = "refusal";

    Refusals(ContractFixture test) {
        this.test = test;
        this.fs = test.fs;
        this.root = test.root;
    }

    void check(Capability capability) throws Exception {
        name = "refusal-" + capability;
        switch (capability) {
            case WRITE -> readOnly(root, "refused");
            case PERSISTENT_HANDLES -> handles();
            case RENAME -> {
                FileHandle file = file();
                FsError error = refused(() -> fs.rename(ROOT, root, name(name), root, name("other")));
                assertThat(error).isEqualTo(FsError.NOT_SUPPORTED);
                assertThat(test.lookup(root, name).handle()).isEqualTo(file);
                absent("other");
            }
            case HARD_LINKS -> {
                FileHandle file = file();
                assertFails(FsError.NOT_SUPPORTED, () -> fs.link(ROOT, file, root, name("other")));
                absent("other");
                assertThat(fs.limits().maxLinks()).isOne();
            }
            case SYMLINKS -> {
                assertFails(
                        FsError.NOT_SUPPORTED, () -> fs.makeSymlink(ROOT, root, name("other"), bytes("target"), NONE));
                absent("other");
            }
            case SPECIAL_FILES -> {
                for (FileType type :
                        new FileType[] {FileType.FIFO, FileType.SOCKET, FileType.CHARACTER_DEVICE, FileType.BLOCK_DEVICE
                        }) {
                    assertFails(
                            FsError.NOT_SUPPORTED, () -> fs.makeSpecial(ROOT, root, name("other"), type, 1, 3, NONE));
                }
                absent("other");
            }
            case HOLES -> holes();
            case ALLOCATE ->
                withOpenFile(open -> {
                    assertFails(FsError.NOT_SUPPORTED, () -> open.allocate(0, 1 << 20));
                    assertThat(open.attributes().sizeBytes()).isEqualTo(5);
                });
            case COPY ->
                withOpenFile(open -> {
                    assertFails(FsError.NOT_SUPPORTED, () -> open.copyTo(0, open, 10, 5));
                    assertThat(open.attributes().sizeBytes()).isEqualTo(5);
                });
            case XATTRS -> xattrs(file(), FsError.NOT_SUPPORTED);
            case ACLS -> acls(file(), FsError.NOT_SUPPORTED);
            case SPACE -> assertThat(fs.statistics()).isEqualTo(FsStatistics.UNKNOWN);
            case LOCKS ->
                withOpenFile(open -> {
                    for (OpenAccess access : OpenAccess.values()) {
                        assertFails(FsError.NOT_SUPPORTED, () -> fs.openLocks(open.handle(), access));
                    }
                });
            case LEASES ->
                withOpenFile(open -> {
                    for (Lease.Kind kind : Lease.Kind.values()) {
                        assertFails(FsError.NOT_SUPPORTED, () -> fs.lease(open.handle(), kind, () -> {}));
                    }
                });
            case LENT_PAGES -> withOpenFile(open -> assertThat(open.lend(0, 5)).isEmpty());
            case CASE_INSENSITIVE, CASE_FOLDING, CHOWN_BY_OWNER -> {
                // A tree that is not unusual in this way refuses nothing.
            }
        }
    }

    /** A tree that cannot be written refuses every change, by anyone. */
    void readOnly(FileHandle directory, String name) throws Exception {
        FsError error = FsError.READ_ONLY;
        assertFails(error, () -> test.file(directory, name));
        assertFails(error, () -> fs.create(ROOT, directory, name(name), new CreateMode.Unchecked(NONE)));
        assertFails(error, () -> fs.create(ROOT, directory, name(name), new CreateMode.Exclusive(1, NONE)));
        assertFails(error, () -> test.directory(directory, name));
        assertFails(error, () -> fs.makeSymlink(ROOT, directory, name(name), bytes("target"), NONE));
        assertFails(error, () -> fs.makeSpecial(ROOT, directory, name(name), FileType.FIFO, 0, 0, NONE));
        assertFails(error, () -> fs.link(ROOT, directory, directory, name(name)));
        assertFails(error, () -> fs.remove(ROOT, directory, name(name)));
        assertFails(error, () -> fs.removeDirectory(ROOT, directory, name(name)));
        assertFails(error, () -> fs.rename(ROOT, directory, name(name), directory, name("other")));
        assertFails(error, () -> fs.setAttributes(ROOT, directory, AttributeChanges.ofPermissions(0777)));
        assertFails(error, () -> fs.setXattr(ROOT, directory, bytes("a"), bytes("1"), XattrMode.EITHER));
        assertFails(error, () -> fs.removeXattr(ROOT, directory, bytes("a")));
        assertFails(error, () -> fs.setAcls(ROOT, directory, AclChanges.ofAccess(PosixAcl.ofPermissions(0777))));
        assertFails(FsError.NO_ENTRY, () -> test.lookup(directory, name));
    }

    private void handles() throws Exception {
        FileHandle file = file();
        test.restart();
        assertFails(FsError.STALE, () -> test.fs.attributes(file));
    }

    private void holes() throws Exception {
        withOpenFile(open -> {
            assertFails(FsError.NOT_SUPPORTED, () -> open.deallocate(0, 2));
            assertThat(open.seekData(3)).isEqualTo(3);
            assertThat(open.seekHole(3)).isEqualTo(5);
            assertFails(FsError.NO_DEVICE, () -> open.seekData(5));
            assertFails(FsError.NO_DEVICE, () -> open.seekHole(5));
        });
    }

    void xattrs(FileHandle file, FsError change) throws Exception {
        assertFails(FsError.NOT_SUPPORTED, () -> fs.listXattrs(ROOT, file));
        assertFails(FsError.NOT_SUPPORTED, () -> fs.getXattr(ROOT, file, bytes("a")));
        assertFails(change, () -> fs.setXattr(ROOT, file, bytes("a"), bytes("1"), XattrMode.EITHER));
        assertFails(change, () -> fs.removeXattr(ROOT, file, bytes("a")));
    }

    void acls(FileHandle file, FsError change) throws Exception {
        assertFails(FsError.NOT_SUPPORTED, () -> fs.acls(file));
        assertFails(change, () -> fs.setAcls(ROOT, file, AclChanges.ofAccess(PosixAcl.ofPermissions(0640))));
    }

    private FileHandle file() throws FsException {
        return test.file(root, name);
    }

    private void absent(String name) throws Exception {
        assertFails(FsError.NO_ENTRY, () -> test.lookup(root, name));
    }

    private static FsError refused(ContractFixture.Call call) throws Exception {
        try {
            call.run();
        } catch (FsException e) {
            return e.error();
        }
        throw new AssertionError("not refused");
    }

    private interface Use {
        void of(OpenFile open) throws Exception;
    }

    /** A file of five bytes, open for reading and writing. */
    private void withOpenFile(Use use) throws Exception {
        FileHandle file = file();
        test.write(file, 0, bytes("hello"));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            use.of(open);
        }
        assertThat(test.read(file, 0, 10)).isEqualTo(bytes("hello"));
    }
}
