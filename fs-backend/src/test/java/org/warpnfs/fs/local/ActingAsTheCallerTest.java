package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Calls as other users: identities that are given back, and lists and set-user-id bits of the kernel. */
class ActingAsTheCallerTest extends LocalTreeFixture {
    @Test
    void identity_afterCallsAsOthers_isTheServersAgain() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "only root lends identities");
        fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0777));
        FileHandle file = create(fs.root(), "f");
        fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600));
        String before = statusOfThisThread();

        assertFails(FsError.ACCESS, () -> fs.open(USER, file, OpenAccess.READ));

        fs.makeDirectory(
                new Caller(1000, 1000, List.of(1L, 2L, 3L)),
                fs.root(),
                FileName.of("d"),
                AttributeChanges.ofPermissions(0700));
        assertThat(statusOfThisThread()).isEqualTo(before);
        assertFails(
                FsError.ACCESS, () -> fs.lookup(new Caller(0xffff_ffffL, 0, List.of()), fs.root(), FileName.of("f")));
        assertThat(statusOfThisThread()).isEqualTo(before);
    }

    @Test
    void write_byAMemberOfTheGroup_keepsASetGroupIdBitThatNobodyCanUse_andOthersLoseBothBits() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "only root lends identities");
        Caller member = new Caller(1000, 1000, List.of(3000L));
        String before = statusOfThisThread();

        assertThat(permissionsAfterWrite(member, 02666)).isEqualTo(02666);
        assertThat(permissionsAfterWrite(member, 06777)).isEqualTo(0777);
        assertThat(permissionsAfterWrite(new Caller(1001, 1001, List.of()), 06777))
                .isEqualTo(0777);
        assertThat(permissionsAfterWrite(Caller.ROOT, 06777))
                .as("written by root")
                .isEqualTo(06777);
        assertThat(statusOfThisThread()).isEqualTo(before);
    }

    /** The server looks at the mode before a write only if it may have changed. */
    @Test
    void write_afterAChangeOfPermissions_keepsOrLosesTheBitsThatTheFileHasThen() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "only root lends identities");
        Caller member = new Caller(1000, 1000, List.of(3000L));
        FileHandle file = create(fs.root(), "f");
        fs.setAttributes(Caller.ROOT, file, new AttributeChanges(null, 2000L, 3000L, null, null, null));
        fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0666));
        try (OpenFile open = fs.open(member, file, OpenAccess.WRITE)) {
            for (int permissions : new int[] {02666, 06777, 02666, 0666, 02666}) {
                open.write(ByteBuffer.allocateDirect(10), 0, Stability.UNSTABLE);
                fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(permissions));
                open.write(ByteBuffer.allocateDirect(10), 0, Stability.UNSTABLE);
                assertThat(fs.attributes(file).permissions())
                        .as(Integer.toOctalString(permissions))
                        .isEqualTo(permissions == 06777 ? 0777 : permissions);
            }
        }
    }

    /** Writes to a file of group 3000. */
    private int permissionsAfterWrite(Caller caller, int permissions) throws Exception {
        FileHandle file = create(fs.root(), "f" + Integer.toOctalString(permissions) + "-" + caller.uid());
        fs.setAttributes(Caller.ROOT, file, new AttributeChanges(null, 2000L, 3000L, null, null, null));
        fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(permissions));
        try (OpenFile open = fs.open(caller, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.allocateDirect(10), 0, Stability.UNSTABLE);
        }
        return fs.attributes(file).permissions();
    }

    private static String statusOfThisThread() throws IOException {
        return String.join(
                "\n",
                Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                        .filter(line ->
                                line.startsWith("Uid:") || line.startsWith("Gid:") || line.startsWith("Groups:"))
                        .toList());
    }

    @Test
    void accessControlList_ofAFile_decidesInEachMode() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "files of others are needed");
        FileHandle file = create(fs.root(), "f");
        // u::rw, u:1000:rw, g::r, g:2000:rw, mask r, o::- : the mask limits the named user and group
        byte[] acl = acl(0x01, 6, -1, 0x02, 6, 1000, 0x04, 4, -1, 0x08, 6, 2000, 0x10, 4, -1, 0x20, 0, -1);
        try (Fd fd =
                OpenCalls.open(tree.resolve("f").toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY)) {
            XattrCalls.set(fd, "system.posix_acl_access".getBytes(StandardCharsets.UTF_8), acl, 0);
        } catch (ErrnoException e) {
            Assumptions.abort("no access control lists here: errno " + e.errno());
        }
        Caller inGroup = new Caller(1001, 1001, List.of(2000L));
        Caller inOwningGroup = new Caller(1002, 0, List.of());
        Caller stranger = new Caller(1003, 1003, List.of());
        for (LocalOptions options : List.of(LocalOptions.DEFAULTS, UNPRIVILEGED)) {
            restart(options);
            FileHandle again = lookup(fs.root(), "f");
            assertThat(file.toBytes()).isNotEmpty();
            for (Caller caller : List.of(USER, inGroup, inOwningGroup)) {
                assertThat(fs.permissions(caller, again, EnumSet.allOf(Permission.class)))
                        .as("%s with %s", caller, options)
                        .containsExactly(Permission.READ);
            }
            assertThat(fs.permissions(stranger, again, EnumSet.allOf(Permission.class)))
                    .isEmpty();
            assertFails(FsError.ACCESS, () -> fs.open(USER, again, OpenAccess.WRITE));
            fs.open(USER, again, OpenAccess.READ).close();
        }
    }

    private static byte[] acl(int... tagPermissionsId) {
        ByteBuffer out = ByteBuffer.allocate(4 + tagPermissionsId.length / 3 * 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(2);
        for (int i = 0; i < tagPermissionsId.length; i += 3) {
            out.putShort((short) tagPermissionsId[i])
                    .putShort((short) tagPermissionsId[i + 1])
                    .putInt(tagPermissionsId[i + 2]);
        }
        return out.array();
    }

    @Test
    void unprivileged_newSetUserIdFile_isNotTheServersForOthers() throws Exception {
        restart(UNPRIVILEGED);
        fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0777));
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(06755));

        assertThat(fs.create(USER, fs.root(), FileName.of("f"), mode)
                        .node()
                        .attributes()
                        .permissions())
                .isEqualTo(0755);
    }
}
