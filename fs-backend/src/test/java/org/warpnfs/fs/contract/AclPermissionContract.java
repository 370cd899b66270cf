package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.AclEntry;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.PosixAcl;

/** Permissions by access control lists, and the permission to change a list. */
@Needs(Capability.ACLS)
public abstract class AclPermissionContract extends ContractFixture {
    private static final Set<Permission> ALL = EnumSet.allOf(Permission.class);
    private static final Caller NAMED = new Caller(5000, 5000, List.of());
    private static final Caller IN_NAMED_GROUP = new Caller(5001, 5001, List.of(6000L));
    private static final Caller IN_BOTH_GROUPS = new Caller(5002, 6000, List.of(6001L));

    @BeforeEach
    void requireOwnersToTellApart() {
        onlyIf(backend.canGiveAway(), "this process cannot make files of other users: run the suite as root");
    }

    /** A file of USER's with these entries. */
    private FileHandle guarded(String name, AclEntry... entries) throws Exception {
        FileHandle file = ownedFile(USER, name, 0600);
        fs.setAcls(ROOT, file, AclChanges.ofAccess(PosixAcl.of(List.of(entries))));
        return file;
    }

    private FileHandle guarded(String name) throws Exception {
        return guarded(
                name,
                new AclEntry.UserObj(1),
                new AclEntry.User(5000, 7),
                new AclEntry.GroupObj(7),
                new AclEntry.Group(6000, 4),
                new AclEntry.Group(6001, 2),
                new AclEntry.Mask(6),
                new AclEntry.Other(5));
    }

    @Test
    void permissions_eachClass_areJudgedByTheFirstThatFits() throws Exception {
        FileHandle file = guarded("f");

        assertThat(fs.permissions(USER, file, ALL)).containsExactly(Permission.EXECUTE);
        assertThat(fs.permissions(NAMED, file, ALL)).containsExactly(Permission.READ, Permission.WRITE);
        assertThat(fs.permissions(FRIEND, file, ALL)).containsExactly(Permission.READ, Permission.WRITE);
        assertThat(fs.permissions(IN_NAMED_GROUP, file, ALL)).containsExactly(Permission.READ);
        assertThat(fs.permissions(IN_BOTH_GROUPS, file, ALL)).containsExactly(Permission.READ, Permission.WRITE);
        assertThat(fs.permissions(STRANGER, file, ALL)).containsExactly(Permission.READ, Permission.EXECUTE);
        assertThat(fs.permissions(ROOT, file, ALL)).isEqualTo(ALL);
    }

    @Test
    void permissions_ofAGroupsEntryThatGrantsNothing_keepOthersShareAway() throws Exception {
        FileHandle file = guarded(
                "f",
                new AclEntry.UserObj(7),
                new AclEntry.GroupObj(0),
                new AclEntry.Group(6000, 0),
                new AclEntry.Mask(7),
                new AclEntry.Other(7));

        assertThat(fs.permissions(IN_NAMED_GROUP, file, ALL)).isEmpty();
        assertThat(fs.permissions(FRIEND, file, ALL)).isEmpty();
        assertThat(fs.permissions(STRANGER, file, ALL)).isEqualTo(ALL);
    }

    @Test
    void open_byTheList_isJudged() throws Exception {
        FileHandle file = guarded("f");
        fs.open(NAMED, file, OpenAccess.READ_WRITE).close();

        fs.open(IN_NAMED_GROUP, file, OpenAccess.READ).close();
        assertFails(FsError.ACCESS, () -> fs.open(IN_NAMED_GROUP, file, OpenAccess.WRITE));

        fs.open(IN_BOTH_GROUPS, file, OpenAccess.WRITE).close();
        // One entry has to grant all of the access: acl(5), access check algorithm.
        assertFails(FsError.ACCESS, () -> fs.open(IN_BOTH_GROUPS, file, OpenAccess.READ_WRITE));
        assertFails(FsError.ACCESS, () -> fs.open(STRANGER, file, OpenAccess.WRITE));

        fs.open(USER, file, OpenAccess.READ_WRITE).close();
    }

    @Test
    void directory_byTheList_isSearchedReadAndChanged() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0700);
        fs.setAcls(
                ROOT,
                directory,
                AclChanges.ofAccess(PosixAcl.of(List.of(
                        new AclEntry.UserObj(7),
                        new AclEntry.User(5000, 7),
                        new AclEntry.User(5001, 1),
                        new AclEntry.GroupObj(0),
                        new AclEntry.Mask(7),
                        new AclEntry.Other(0)))));
        if (backend.actsAsCaller()) {
            file(NAMED, directory, "f", 0644);
        } else {
            file(directory, "f");
        }

        assertThat(fs.lookup(IN_NAMED_GROUP, directory, name("f"))).isNotNull();
        assertFails(FsError.ACCESS, () -> fs.list(IN_NAMED_GROUP, directory, 0, false, entry -> true));
        assertFails(FsError.ACCESS, () -> fs.remove(IN_NAMED_GROUP, directory, name("f")));
        assertFails(FsError.ACCESS, () -> fs.lookup(STRANGER, directory, name("f")));

        fs.remove(NAMED, directory, name("f"));
        assertThat(names(directory)).isEmpty();
    }

    @Test
    void setAcls_byAnyoneButTheOwner_notPermitted() throws Exception {
        FileHandle file = guarded("f");
        PosixAcl all = PosixAcl.ofPermissions(0777);

        assertFails(FsError.NOT_PERMITTED, () -> fs.setAcls(NAMED, file, AclChanges.ofAccess(all)));
        assertFails(
                FsError.NOT_PERMITTED, () -> fs.setAcls(STRANGER, file, new AclChanges(Change.REMOVE, Change.REMOVE)));

        FileHandle directory = ownedDirectory(USER, "d", 0777);
        assertFails(FsError.NOT_PERMITTED, () -> fs.setAcls(FRIEND, directory, AclChanges.ofInherited(all)));
        assertThat(fs.permissions(STRANGER, file, ALL)).containsExactly(Permission.READ, Permission.EXECUTE);

        fs.setAcls(ROOT, file, AclChanges.ofAccess(PosixAcl.ofPermissions(0644)));
    }

    @Test
    void setAcls_byTheOwner_passes() throws Exception {
        onlyIf(backend.actsAsCaller(), "without privilege files of others are the kernel's to refuse");
        FileHandle file = guarded("f");

        assertThat(fs.setAcls(USER, file, AclChanges.ofAccess(PosixAcl.ofPermissions(0640)))
                        .permissions())
                .isEqualTo(0640);

        FileHandle directory = ownedDirectory(USER, "d", 0700);
        fs.setAcls(USER, directory, AclChanges.ofInherited(PosixAcl.ofPermissions(0700)));
        assertThat(fs.acls(directory).inherited()).isEqualTo(PosixAcl.ofPermissions(0700));
    }

    @Test
    void setAcls_setGroupIdByAnOutsider_isDropped() throws Exception {
        onlyIf(backend.actsAsCaller(), "without privilege files of others are the kernel's to refuse");
        FileHandle file = ownedFile(new Caller(USER.uid(), 3000, List.of()), "f", 02755);

        assertThat(fs.setAcls(USER, file, new AclChanges(Change.KEEP, Change.REMOVE))
                        .permissions())
                .isEqualTo(02755);
        assertThat(fs.setAcls(USER, file, AclChanges.ofAccess(PosixAcl.ofPermissions(0750)))
                        .permissions())
                .isEqualTo(0750);
    }

    @Test
    void create_inADirectoryOfAList_givesTheMakerWhatItSays() throws Exception {
        onlyIf(backend.actsAsCaller(), "without privilege new files are the server's");
        FileHandle directory = directory(ROOT, root, "d", 0777);
        fs.setAcls(
                ROOT,
                directory,
                AclChanges.ofInherited(PosixAcl.of(List.of(
                        new AclEntry.UserObj(6),
                        new AclEntry.User(5000, 6),
                        new AclEntry.GroupObj(0),
                        new AclEntry.Mask(6),
                        new AclEntry.Other(0)))));
        FileHandle file = file(USER, directory, "f", 0666);

        fs.open(NAMED, file, OpenAccess.READ_WRITE).close();

        assertFails(FsError.ACCESS, () -> fs.open(FRIEND, file, OpenAccess.READ));
    }
}
