package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.Timestamp;

/** Owners of files, and the permission to change attributes. */
public abstract class OwnershipContract extends ContractFixture {
    @BeforeEach
    void requireOwnersToTellApart() {
        onlyIf(backend.canGiveAway(), "this process cannot make files of other users: run the suite as root");
    }

    @Test
    void create_byAUser_belongsToItOrTheServer() throws Exception {
        FileHandle directory = directory(ROOT, root, "d", 0777);
        FileHandle file = file(USER, directory, "f", 0640);
        FileAttributes attributes = attributes(file);

        assertThat(attributes.uid()).isEqualTo(backend.actsAsCaller() ? USER.uid() : backend.serverUid());

        if (backend.actsAsCaller()) {
            assertThat(attributes.gid()).isEqualTo(USER.gid());
            FileAttributes made = attributes(directory(USER, directory, "sub", 0750));
            assertThat(made.uid()).isEqualTo(USER.uid());
            if (can(Capability.SYMLINKS)) {
                FileAttributes link = fs.makeSymlink(USER, directory, name("s"), bytes("x"), AttributeChanges.NONE)
                        .attributes();
                assertThat(link.uid()).isEqualTo(USER.uid());
            }
        }
    }

    @Test
    void create_forAnotherOwner_isRefusedAndMakesNothing() throws Exception {
        FileHandle directory = directory(ROOT, root, "d", 0777);
        AttributeChanges toStranger = new AttributeChanges(0640, STRANGER.uid(), null, null, null, null);
        AttributeChanges toGroup = new AttributeChanges(0640, null, 4321L, null, null, null);
        for (AttributeChanges wanted : List.of(toStranger, toGroup)) {
            assertFails(
                    FsError.NOT_PERMITTED, () -> fs.create(USER, directory, name("f"), new CreateMode.Guarded(wanted)));
            assertFails(
                    FsError.NOT_PERMITTED,
                    () -> fs.create(USER, directory, name("f"), new CreateMode.Exclusive(5, wanted)));
            assertFails(FsError.NOT_PERMITTED, () -> fs.makeDirectory(USER, directory, name("f"), wanted));
            assertFails(FsError.NO_ENTRY, () -> fs.lookup(ROOT, directory, name("f")));
        }
    }

    @Test
    void setAttributes_permissions_onlyByTheOwner() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0666);

        assertFails(FsError.NOT_PERMITTED, () -> fs.setAttributes(FRIEND, file, AttributeChanges.ofPermissions(0600)));
        assertThat(fs.setAttributes(USER, file, AttributeChanges.ofPermissions(01640))
                        .permissions())
                .isEqualTo(01640);
        assertThat(fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(06755))
                        .permissions())
                .isEqualTo(06755);
    }

    @Test
    void setAttributes_setGroupIdByAnOutsider_isDropped() throws Exception {
        FileHandle file = ownedFile(new Caller(USER.uid(), 3000, List.of()), "f", 0644);
        assertThat(fs.setAttributes(USER, file, AttributeChanges.ofPermissions(02755))
                        .permissions())
                .isEqualTo(0755);
    }

    @Test
    void setAttributes_owner_onlyByTheSuperuser() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0644);
        AttributeChanges toStranger = new AttributeChanges(null, STRANGER.uid(), null, null, null, null);

        if (!can(Capability.CHOWN_BY_OWNER)) {
            assertFails(FsError.NOT_PERMITTED, () -> fs.setAttributes(USER, file, toStranger));
        }
        assertFails(FsError.NOT_PERMITTED, () -> fs.setAttributes(STRANGER, file, toStranger));

        onlyIf(backend.actsAsCaller(), "without privilege nobody gives files away");
        assertThat(fs.setAttributes(ROOT, file, toStranger).uid()).isEqualTo(STRANGER.uid());

        AttributeChanges both = new AttributeChanges(04755, 4_294_967_294L, 5L, null, null, null);
        FileAttributes changed = fs.setAttributes(ROOT, file, both);
        assertThat(changed.uid()).isEqualTo(4_294_967_294L);
        assertThat(changed.gid()).isEqualTo(5);
        assertThat(changed.permissions()).isEqualTo(04755);

        AttributeChanges back = new AttributeChanges(null, USER.uid(), null, null, null, null);
        assertThat(fs.setAttributes(ROOT, file, back).permissions()).isEqualTo(0755);
    }

    @Test
    void setAttributes_group_toOneOfTheOwnersOwn() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0644);
        AttributeChanges toOwn = new AttributeChanges(null, null, 2000L, null, null, null);
        AttributeChanges toForeign = new AttributeChanges(null, null, 3000L, null, null, null);

        assertFails(FsError.NOT_PERMITTED, () -> fs.setAttributes(USER, file, toForeign));
        assertFails(FsError.NOT_PERMITTED, () -> fs.setAttributes(FRIEND, file, toOwn));

        onlyIf(backend.actsAsCaller(), "without privilege nobody changes groups");
        assertThat(fs.setAttributes(USER, file, toOwn).gid()).isEqualTo(2000);

        AttributeChanges same = new AttributeChanges(null, USER.uid(), 2000L, null, null, null);
        assertThat(fs.setAttributes(USER, file, same).uid()).isEqualTo(USER.uid());
    }

    @Test
    void setAttributes_size_byWritersAndTheOwner() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0424);

        assertThat(fs.setAttributes(USER, file, AttributeChanges.ofSize(10)).sizeBytes())
                .isEqualTo(10);
        assertThat(fs.setAttributes(FRIEND, file, AttributeChanges.ofSize(5)).sizeBytes())
                .isEqualTo(5);
        assertFails(FsError.ACCESS, () -> fs.setAttributes(STRANGER, file, AttributeChanges.ofSize(0)));
    }

    @Test
    void setAttributes_times_nowByWritersElseByTheOwner() throws Exception {
        FileHandle file = ownedFile(USER, "f", 0624);
        TimeChange then = new TimeChange.To(new Timestamp(1_000_000_000, 123_456_789));
        TimeChange now = new TimeChange.ToServerTime();
        AttributeChanges toThen = new AttributeChanges(null, null, null, null, then, then);

        FileAttributes changed = fs.setAttributes(USER, file, toThen);
        assertThat(changed.accessTime()).isEqualTo(stepped(1_000_000_000, 123_456_789));
        assertThat(changed.modifyTime()).isEqualTo(stepped(1_000_000_000, 123_456_789));
        assertFails(FsError.NOT_PERMITTED, () -> fs.setAttributes(FRIEND, file, toThen));

        AttributeChanges toNow = new AttributeChanges(null, null, null, null, now, now);
        assertThat(fs.setAttributes(FRIEND, file, toNow).modifyTime().seconds()).isGreaterThan(1_600_000_000);

        AttributeChanges modifyToNow = new AttributeChanges(null, null, null, null, null, now);
        fs.setAttributes(FRIEND, file, modifyToNow);
        assertFails(FsError.ACCESS, () -> fs.setAttributes(STRANGER, file, toNow));

        AttributeChanges onlyAccess = new AttributeChanges(null, null, null, null, then, null);
        FileAttributes mixed = fs.setAttributes(USER, file, onlyAccess);
        assertThat(mixed.accessTime().seconds()).isEqualTo(1_000_000_000);
        assertThat(mixed.modifyTime().seconds()).isGreaterThan(1_600_000_000);

        TimeChange old = new TimeChange.To(new Timestamp(-5, 0));
        AttributeChanges beforeEpoch = new AttributeChanges(null, null, null, null, null, old);
        // A medium that keeps no such time keeps the nearest one.
        assertThat(fs.setAttributes(ROOT, file, beforeEpoch).modifyTime())
                .isIn(new Timestamp(-5, 0), new Timestamp(0, 0));
    }

    @Test
    void setGroupIdDirectory_newFiles_inheritTheGroup() throws Exception {
        onlyIf(backend.actsAsCaller(), "new files belong to the server's user");
        FileHandle directory = ownedDirectory(new Caller(0, 2000, List.of()), "d", 02777);

        assertThat(attributes(directory).permissions()).isEqualTo(02777);

        FileAttributes file = attributes(file(USER, directory, "f", 0664));
        assertThat(file.gid()).isEqualTo(2000);

        FileAttributes sub = attributes(directory(STRANGER, directory, "s", 0777));
        assertThat(sub.gid()).isEqualTo(2000);
        assertThat(sub.permissions()).isEqualTo(02777);

        FileAttributes outsiders = attributes(file(STRANGER, directory, "g", 02775));
        assertThat(outsiders.permissions()).isEqualTo(0775);
    }
}
