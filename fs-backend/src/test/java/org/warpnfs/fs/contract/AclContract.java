package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.AclEntry;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;

/** Access control lists: their values, their relation to permissions, and what new files inherit. */
@Needs(Capability.ACLS)
public abstract class AclContract extends ContractFixture {
    /** owner rwx, uid 1000 rw, group r, gid 2000 rwx, mask rw, others nothing. */
    static PosixAcl someList() throws FsException {
        return PosixAcl.of(List.of(
                new AclEntry.UserObj(7),
                new AclEntry.User(1000, 6),
                new AclEntry.GroupObj(4),
                new AclEntry.Group(2000, 7),
                new AclEntry.Mask(6),
                new AclEntry.Other(0)));
    }

    void set(FileHandle file, PosixAcl acl) throws FsException {
        fs.setAcls(ROOT, file, AclChanges.ofAccess(acl));
    }

    void setInherited(FileHandle directory, PosixAcl acl) throws FsException {
        fs.setAcls(ROOT, directory, AclChanges.ofInherited(acl));
    }

    @Test
    @Needs(Capability.SYMLINKS)
    void acls_ofANewFile_areNone() throws Exception {
        assertThat(fs.acls(file(root, "f"))).isEqualTo(Acls.NONE);
        assertThat(fs.acls(directory(root, "d"))).isEqualTo(Acls.NONE);

        FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("f"), AttributeChanges.NONE)
                .handle();
        assertThat(fs.acls(link)).isEqualTo(Acls.NONE);
    }

    @Test
    @Needs(Capability.SPECIAL_FILES)
    void setAcls_access_isReadBackAndItsMaskAreTheGroupBits() throws Exception {
        for (FileHandle file : new FileHandle[] {file(root, "f"), directory(root, "d"), fifo("p")}) {
            FileAttributes before = attributes(file);
            FileAttributes after = fs.setAcls(ROOT, file, AclChanges.ofAccess(someList()));
            assertThat(fs.acls(file)).isEqualTo(new Acls(someList(), null));
            assertThat(after.permissions()).isEqualTo(0760);
            assertThat(after.changeId()).isGreaterThan(before.changeId());
            assertThat(after.changeTime()).isGreaterThanOrEqualTo(before.changeTime());
            assertThat(after.modifyTime()).isEqualTo(before.modifyTime());
            assertThat(attributes(file)).isEqualTo(after);
        }
    }

    private FileHandle fifo(String name) throws FsException {
        return fs.makeSpecial(ROOT, root, name(name), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0644))
                .handle();
    }

    @Test
    void setAcls_minimalList_becomesPermissions() throws Exception {
        FileHandle file = file(root, "f");
        set(file, someList());
        set(file, PosixAcl.ofPermissions(0451));

        assertThat(fs.acls(file)).isEqualTo(Acls.NONE);
        assertThat(attributes(file).permissions()).isEqualTo(0451);
    }

    @Test
    void setAcls_maskAlone_isKeptAsAList() throws Exception {
        FileHandle file = file(root, "f");
        PosixAcl masked = new PosixAcl(6, new TreeMap<>(), 6, new TreeMap<>(), 4, 4);
        set(file, masked);

        assertThat(fs.acls(file).access()).isEqualTo(masked);
        assertThat(attributes(file).permissions()).isEqualTo(0644);
    }

    @Test
    void setAcls_removed_leavesPermissions() throws Exception {
        FileHandle file = file(root, "f");
        set(file, someList());

        FileAttributes after = fs.setAcls(ROOT, file, new AclChanges(Change.REMOVE, Change.REMOVE));
        assertThat(fs.acls(file)).isEqualTo(Acls.NONE);
        assertThat(after.permissions()).isEqualTo(0760);

        fs.setAcls(ROOT, file, new AclChanges(Change.REMOVE, Change.KEEP));
        assertThat(fs.acls(file)).isEqualTo(Acls.NONE);
    }

    @Test
    void setAcls_each_leavesTheOther() throws Exception {
        FileHandle directory = directory(root, "d");
        set(directory, someList());
        setInherited(directory, PosixAcl.ofPermissions(0750));

        assertThat(fs.acls(directory)).isEqualTo(new Acls(someList(), PosixAcl.ofPermissions(0750)));
        assertThat(attributes(directory).permissions()).isEqualTo(0760);

        set(directory, PosixAcl.ofPermissions(0700));
        assertThat(fs.acls(directory)).isEqualTo(new Acls(null, PosixAcl.ofPermissions(0750)));

        fs.setAcls(ROOT, directory, new AclChanges(new Change.Replace(someList()), Change.REMOVE));
        assertThat(fs.acls(directory)).isEqualTo(new Acls(someList(), null));
    }

    @Test
    @Needs(Capability.SYMLINKS)
    void setAcls_whereNoneCanBe_isRefused() throws Exception {
        FileHandle file = file(root, "f");

        assertFails(FsError.ACCESS, () -> setInherited(file, someList()));
        assertFails(
                FsError.ACCESS,
                () -> fs.setAcls(
                        ROOT, file, new AclChanges(new Change.Replace(someList()), new Change.Replace(someList()))));
        assertThat(fs.acls(file)).isEqualTo(Acls.NONE);

        FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("f"), AttributeChanges.NONE)
                .handle();
        assertFails(FsError.NOT_SUPPORTED, () -> set(link, someList()));
        assertThat(fs.acls(file)).isEqualTo(Acls.NONE);
    }

    @Test
    void setAcls_longList_isReadBackOrThereIsNoSpace() throws Exception {
        List<AclEntry> entries = new ArrayList<>(someList().entries());
        for (int id = 0; entries.size() < 1024; id++) {
            entries.add(new AclEntry.User(100_000 + id, id & 7));
        }
        PosixAcl longList = PosixAcl.of(entries);
        FileHandle directory = directory(root, "d");
        Acls before = fs.acls(directory);
        FsException refused = catchThrowableOfType(
                FsException.class, () -> fs.setAcls(ROOT, directory, AclChanges.ofAccess(longList)));
        if (refused == null) {
            setInherited(directory, longList);
            assertThat(fs.acls(directory)).isEqualTo(new Acls(longList, longList));
        } else {
            assertThat(refused.error()).isEqualTo(FsError.NO_SPACE);
            assertThat(fs.acls(directory)).isEqualTo(before);
        }
    }

    @Test
    void setAttributes_permissions_goToTheMask() throws Exception {
        FileHandle file = file(root, "f");
        set(file, someList());
        fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0417));
        PosixAcl changed = fs.acls(file).access();

        assertThat(changed)
                .isEqualTo(new PosixAcl(4, someList().users(), 4, someList().groups(), 1, 7));
        assertThat(attributes(file).permissions()).isEqualTo(0417);
    }

    @Test
    @Needs({Capability.SYMLINKS, Capability.SPECIAL_FILES})
    void create_underADefaultList_takesWhatBothAllow() throws Exception {
        FileHandle directory = directory(root, "d");
        setInherited(directory, someList());
        FileHandle file = file(ROOT, directory, "f", 0646);

        assertThat(fs.acls(file).access())
                .isEqualTo(new PosixAcl(6, someList().users(), 4, someList().groups(), 4, 0));
        assertThat(attributes(file).permissions()).isEqualTo(0640);

        FileNode fifo =
                fs.makeSpecial(ROOT, directory, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0666));
        assertThat(fifo.attributes().permissions()).isEqualTo(0660);
        assertThat(fs.acls(fifo.handle()).access())
                .isEqualTo(new PosixAcl(6, someList().users(), 4, someList().groups(), 6, 0));

        FileNode link = fs.makeSymlink(ROOT, directory, name("s"), bytes("f"), AttributeChanges.NONE);
        assertThat(fs.acls(link.handle())).isEqualTo(Acls.NONE);
    }

    @Test
    void makeDirectory_underADefaultList_handsItOn() throws Exception {
        FileHandle directory = directory(root, "d");
        setInherited(directory, someList());
        FileHandle child = directory(ROOT, directory, "c", 01777);

        assertThat(fs.acls(child)).isEqualTo(new Acls(someList(), someList()));
        assertThat(attributes(child).permissions()).isEqualTo(01760);

        FileHandle grandchild = directory(ROOT, child, "g", 0500);
        assertThat(fs.acls(grandchild).access())
                .isEqualTo(new PosixAcl(5, someList().users(), 4, someList().groups(), 0, 0));
        assertThat(fs.acls(grandchild).inherited()).isEqualTo(someList());
    }

    @Test
    void create_underAMinimalDefaultList_hasPermissionsAlone() throws Exception {
        FileHandle directory = directory(root, "d");
        setInherited(directory, PosixAcl.ofPermissions(0775));
        // The permissions that a umask of the server would remove are kept: with a default list a umask has no effect.
        FileHandle file = file(ROOT, directory, "f", 0666);

        assertThat(fs.acls(file)).isEqualTo(Acls.NONE);
        assertThat(attributes(file).permissions()).isEqualTo(0664);

        fs.setAcls(ROOT, directory, new AclChanges(Change.KEEP, Change.REMOVE));
        assertThat(attributes(file(ROOT, directory, "g", 0666)).permissions()).isEqualTo(0666);
    }

    @Test
    void create_exclusiveUnderADefaultList_hasItToo() throws Exception {
        FileHandle directory = directory(root, "d");
        setInherited(directory, someList());
        CreateMode exclusive = new CreateMode.Exclusive(7, AttributeChanges.ofPermissions(0600));

        FileHandle file =
                fs.create(ROOT, directory, name("f"), exclusive).node().handle();
        assertThat(fs.acls(file).access())
                .isEqualTo(new PosixAcl(6, someList().users(), 4, someList().groups(), 0, 0));

        fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0664));
        assertThat(fs.acls(file).access())
                .isEqualTo(new PosixAcl(6, someList().users(), 4, someList().groups(), 6, 4));
    }

    @Test
    @Needs({Capability.HARD_LINKS, Capability.RENAME})
    void link_ofAFileWithAList_leavesIt() throws Exception {
        FileHandle directory = directory(root, "d");
        setInherited(directory, PosixAcl.ofPermissions(0700));
        FileHandle file = file(root, "f");
        set(file, someList());
        fs.link(ROOT, file, directory, name("g"));

        fs.rename(ROOT, root, name("f"), directory, name("h"));

        assertThat(fs.acls(file).access()).isEqualTo(someList());
    }

    @Test
    void acls_afterARestart_areThere() throws Exception {
        if (!keepsFiles()) {
            return;
        }
        set(file(root, "f"), someList());
        setInherited(directory(root, "d"), someList());
        restart();

        assertThat(fs.acls(lookup(fs.root(), "f").handle())).isEqualTo(new Acls(someList(), null));
        assertThat(fs.acls(lookup(fs.root(), "d").handle())).isEqualTo(new Acls(null, someList()));
    }
}
