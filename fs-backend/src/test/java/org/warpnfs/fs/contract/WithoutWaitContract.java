package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/**
 * Calls that do not wait. A backend may always answer that it would wait; any other answer is that of the full call.
 */
public abstract class WithoutWaitContract extends ContractFixture {
    @Test
    void tryRead_anywhere_readsWhatReadReads() throws Exception {
        FileHandle file = file(root, "f");
        byte[] data = random(7, 10_000);
        write(file, 0, data);
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
            for (long offset : new long[] {0, 1, 4095, 4096, 9_999, 10_000, 20_000, Long.MAX_VALUE - 10}) {
                for (int length : new int[] {0, 1, 100, 4096, 20_000}) {
                    ByteBuffer expected = ByteBuffer.allocateDirect(length);
                    ByteBuffer sink = ByteBuffer.allocateDirect(length);
                    int count = open.read(expected, offset);
                    int tried = open.tryRead(sink, offset);
                    if (tried == OpenFile.WOULD_WAIT) {
                        assertThat(sink.position()).isZero();
                    } else {
                        assertThat(tried).as("%d at %d", length, offset).isEqualTo(count);
                        assertThat(sink.flip()).isEqualTo(expected.flip());
                    }
                }
            }
            assertThat(open.sizeBytes()).isEqualTo(10_000);
        }
    }

    @Test
    void tryRead_openForWritingOnly_fails() throws Exception {
        FileHandle file = file(root, "f");
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            boolean refused = false;
            try {
                refused = open.tryRead(ByteBuffer.allocateDirect(1), 0) == OpenFile.WOULD_WAIT;
            } catch (FsException e) {
                refused = true;
            }
            assertThat(refused).isTrue();
        }
    }

    @Test
    void tryAttributes_openChangedAndRemoved_areThoseOfAttributesOrNone() throws Exception {
        FileHandle file = file(root, "f");
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            assertThat(open.handle()).isEqualTo(file);
            write(file, 0, bytes("hello"));
            assertKnown(file);
            fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0600));
            assertKnown(file);
        }
        assertKnown(file);
        assertKnown(root);
        fs.remove(ROOT, root, name("f"));
        FileAttributes known;
        try {
            known = fs.tryAttributes(file);
        } catch (FsException e) {
            known = null;
        }
        assertThat(known).isNull();
    }

    private void assertKnown(FileHandle file) throws Exception {
        FileAttributes known = fs.tryAttributes(file);
        if (known != null) {
            assertThat(known).isEqualTo(attributes(file));
        }
    }

    @Test
    void tryOpen_permissionsChange_neverOpensWhatOpenRefuses() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0640);
        for (int permissions : new int[] {0640, 0644, 0600, 0604, 0000, 0666, 0111}) {
            fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(permissions));
            for (Caller caller : new Caller[] {ROOT, USER, FRIEND, STRANGER}) {
                for (OpenAccess access : OpenAccess.values()) {
                    // It is asked for twice, since the first answer may be remembered.
                    boolean first = opens(caller, file, access);
                    boolean permitted = opens(caller, file, access);
                    assertThat(permitted).isEqualTo(first);
                    boolean opened = triesToOpen(caller, file, access);
                    assertThat(opened && !permitted)
                            .as("%o, %s, %s", permissions, caller, access)
                            .isFalse();
                }
            }
        }
    }

    private boolean opens(Caller caller, FileHandle file, OpenAccess access) {
        try (OpenFile open = fs.open(caller, file, access)) {
            return open.handle().equals(file);
        } catch (FsException e) {
            return false;
        }
    }

    private boolean triesToOpen(Caller caller, FileHandle file, OpenAccess access) {
        try (OpenFile open = fs.tryOpen(caller, file, access)) {
            return open != null;
        } catch (FsException e) {
            return false;
        }
    }
}
