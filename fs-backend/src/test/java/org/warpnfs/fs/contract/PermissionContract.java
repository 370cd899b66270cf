package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.XattrMode;

/** Permission to read attributes, to open files, and to change the names in a directory. */
public abstract class PermissionContract extends ContractFixture {
    private static final Set<Permission> ALL = EnumSet.allOf(Permission.class);

    @BeforeEach
    void requireOwnersToTellApart() {
        onlyIf(backend.canGiveAway(), "this process cannot make files of other users: run the suite as root");
    }

    @Test
    void permissions_eachClass_areJudgedByTheFirstThatFits() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0461);

        assertThat(fs.permissions(USER, file, ALL)).containsExactly(Permission.READ);
        assertThat(fs.permissions(FRIEND, file, ALL)).containsExactly(Permission.READ, Permission.WRITE);
        assertThat(fs.permissions(STRANGER, file, ALL)).containsExactly(Permission.EXECUTE);
        assertThat(fs.permissions(ROOT, file, ALL)).isEqualTo(ALL);
        assertThat(fs.permissions(USER, file, EnumSet.of(Permission.WRITE))).isEmpty();

        fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0000));
        assertThat(fs.permissions(ROOT, file, ALL)).containsExactly(Permission.READ, Permission.WRITE);
        assertThat(fs.permissions(STRANGER, file, ALL)).isEmpty();
    }

    @Test
    void permissions_ofADirectory_superuserMaySearch() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0000);

        assertThat(fs.permissions(ROOT, directory, ALL)).isEqualTo(ALL);
        assertThat(fs.permissions(USER, directory, ALL)).isEmpty();
    }

    @Test
    void lookup_withoutSearch_access() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0700);
        file(directory, "f");

        assertThat(fs.lookup(USER, directory, name("f"))).isNotNull();
        assertFails(FsError.ACCESS, () -> fs.lookup(STRANGER, directory, name("f")));
        assertFails(FsError.ACCESS, () -> fs.lookup(STRANGER, directory, name("absent")));
        assertFails(FsError.ACCESS, () -> fs.lookupParent(STRANGER, directory));
        assertFails(FsError.ACCESS, () -> fs.list(STRANGER, directory, 0, false, entry -> true));
    }

    @Test
    void list_readableWithoutSearch_givesNamesAlone() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0744);
        file(directory, "f");
        List<DirectoryEntry> seen = new ArrayList<>();
        fs.list(STRANGER, directory, 0, true, seen::add);

        assertThat(seen).singleElement().satisfies(entry -> {
            assertThat(entry.name()).isEqualTo(name("f"));
            assertThat(entry.node()).isNull();
        });
    }

    @Test
    void change_withoutWriteOnTheDirectory_access() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0755);
        FileHandle file = file(ROOT, directory, "f", 0666);
        FileHandle own = directory(ROOT, root, "own", 0777);
        file(own, "g");

        assertFails(FsError.ACCESS, () -> file(STRANGER, directory, "x", 0644));
        assertFails(FsError.ACCESS, () -> directory(STRANGER, directory, "x", 0755));
        assertFails(FsError.ACCESS, () -> fs.remove(STRANGER, directory, name("f")));
        if (can(Capability.SYMLINKS)) {
            assertFails(
                    FsError.ACCESS,
                    () -> fs.makeSymlink(STRANGER, directory, name("x"), bytes("y"), AttributeChanges.NONE));
        }
        if (can(Capability.HARD_LINKS)) {
            assertFails(FsError.ACCESS, () -> fs.link(STRANGER, file, directory, name("x")));
        }
        if (can(Capability.RENAME)) {
            assertFails(FsError.ACCESS, () -> fs.rename(STRANGER, directory, name("f"), own, name("x")));
            assertFails(FsError.ACCESS, () -> fs.rename(STRANGER, own, name("g"), directory, name("x")));
        }
        assertThat(names(directory)).containsExactly("f");
    }

    @Test
    @Needs(Capability.RENAME)
    void remove_inAStickyDirectory_onlyByAnOwner() throws Exception {
        FileHandle directory = directory(ROOT, root, "tmp", 01777);
        FileHandle file = file(ROOT, directory, "f", 0666);
        backend.giveAway(fs, file, "tmp/f", USER);
        FileHandle sub = directory(ROOT, directory, "s", 0777);
        backend.giveAway(fs, sub, "tmp/s", USER);

        assertFails(FsError.NOT_PERMITTED, () -> fs.remove(STRANGER, directory, name("f")));
        assertFails(FsError.NOT_PERMITTED, () -> fs.removeDirectory(STRANGER, directory, name("s")));
        assertFails(FsError.NOT_PERMITTED, () -> fs.rename(STRANGER, directory, name("f"), directory, name("g")));

        FileHandle other = file(ROOT, directory, "other", 0666);
        backend.giveAway(fs, other, "tmp/other", STRANGER);
        assertFails(FsError.NOT_PERMITTED, () -> fs.rename(STRANGER, directory, name("other"), directory, name("f")));

        fs.rename(USER, directory, name("f"), directory, name("g"));
        fs.remove(USER, directory, name("g"));
        fs.removeDirectory(ROOT, directory, name("s"));
        assertThat(names(directory)).containsExactly("other");
    }

    @Test
    @Needs(Capability.RENAME)
    void rename_directoryOfAnother_toAnotherParent_access() throws Exception {
        FileHandle from = directory(ROOT, root, "from", 0777);
        FileHandle to = directory(ROOT, root, "to", 0777);
        FileHandle moved = directory(ROOT, from, "m", 0755);
        backend.giveAway(fs, moved, "from/m", USER);

        assertFails(FsError.ACCESS, () -> fs.rename(STRANGER, from, name("m"), to, name("m")));

        fs.rename(STRANGER, from, name("m"), from, name("n"));
        fs.rename(USER, from, name("n"), to, name("m"));
        assertThat(lookup(to, "m").handle()).isEqualTo(moved);
    }

    @Test
    void open_byPermissions_isJudgedAndOwnersPass() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0040);
        fs.open(USER, file, OpenAccess.READ_WRITE).close();

        fs.open(FRIEND, file, OpenAccess.READ).close();
        assertFails(FsError.ACCESS, () -> fs.open(FRIEND, file, OpenAccess.WRITE));
        assertFails(FsError.ACCESS, () -> fs.open(FRIEND, file, OpenAccess.READ_WRITE));
        assertFails(FsError.ACCESS, () -> fs.open(STRANGER, file, OpenAccess.READ));

        fs.open(ROOT, file, OpenAccess.READ_WRITE).close();
        assertFails(FsError.ACCESS, () -> fs.open(STRANGER, file, OpenAccess.READ));

        fs.open(FRIEND, file, OpenAccess.READ).close();
    }

    /** NFSv3 has no open files: each WRITE of a file that was created for writing opens it anew. */
    @Test
    void open_ofANewFileByItsCreator_passesWhateverItsPermissions() throws Exception {
        Caller creator = backend.actsAsCaller() ? USER : new Caller(backend.serverUid(), USER.gid(), List.of());
        FileHandle directory = directory(ROOT, root, "d", 0777);
        for (int permissions : new int[] {0444, 0200, 0}) {
            FileHandle file = file(creator, directory, "f" + permissions, permissions);
            try (OpenFile open = fs.open(creator, file, OpenAccess.WRITE)) {
                open.write(ByteBuffer.wrap(bytes("text")), 0, Stability.UNSTABLE);
            }
            try (OpenFile open = fs.open(creator, file, OpenAccess.READ)) {
                assertThat(read(open, 0, 10)).isEqualTo(bytes("text"));
            }
            assertThat(attributes(file).permissions()).isEqualTo(permissions);
        }
    }

    @Test
    void open_executableForReading_passes() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0711);
        write(file, 0, bytes("#!"));
        try (OpenFile open = fs.open(STRANGER, file, OpenAccess.READ)) {
            assertThat(read(open, 0, 10)).isEqualTo(bytes("#!"));
        }

        assertFails(FsError.ACCESS, () -> fs.open(STRANGER, file, OpenAccess.READ_WRITE));
    }

    @Test
    void open_permissionsTakenAwayLater_staysOpen() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0666);
        try (OpenFile open = fs.open(STRANGER, file, OpenAccess.READ_WRITE)) {
            fs.setAttributes(USER, file, AttributeChanges.ofPermissions(0));
            open.write(ByteBuffer.wrap(bytes("x")), 0, Stability.UNSTABLE);
            assertThat(read(open, 0, 1)).isEqualTo(bytes("x"));
            assertFails(FsError.ACCESS, () -> fs.open(STRANGER, file, OpenAccess.READ));
        }

        assertFails(FsError.ACCESS, () -> fs.open(STRANGER, file, OpenAccess.WRITE));
    }

    @Test
    void create_existingUnchecked_needsNoWriteOnTheDirectory() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0755);
        file(ROOT, directory, "f", 0666);
        CreateMode take = new CreateMode.Unchecked(AttributeChanges.ofPermissions(0600));

        assertThat(fs.create(STRANGER, directory, name("f"), take).isNew()).isFalse();
        assertThat(lookup(directory, "f").attributes().permissions()).isEqualTo(0666);
        assertFails(FsError.ACCESS, () -> fs.create(STRANGER, directory, name("g"), take));
    }

    @Test
    @Needs(Capability.XATTRS)
    void xattrs_byPermissions_readAndWriteAsContents() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0640);
        fs.setXattr(USER, file, bytes("k"), bytes("v"), XattrMode.EITHER);

        assertThat(fs.getXattr(FRIEND, file, bytes("k"))).isEqualTo(bytes("v"));
        assertFails(FsError.ACCESS, () -> fs.getXattr(STRANGER, file, bytes("k")));
        assertFails(FsError.ACCESS, () -> fs.setXattr(FRIEND, file, bytes("k"), bytes("w"), XattrMode.EITHER));
        assertFails(FsError.ACCESS, () -> fs.removeXattr(STRANGER, file, bytes("k")));
    }

    @Test
    void identity_manyCallersOnOneThread_doNotLeak() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0700);
        for (int i = 0; i < 50; i++) {
            file(USER, directory, "f" + i, 0600);
            assertFails(FsError.ACCESS, () -> file(STRANGER, directory, "x", 0600));
            assertFails(FsError.ACCESS, () -> fs.lookup(FRIEND, directory, name("f0")));
            fs.lookup(ROOT, directory, name("f" + i));
        }
    }
}
