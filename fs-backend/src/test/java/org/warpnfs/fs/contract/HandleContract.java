package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsStatistics;

/** Handles over changes and restarts, and the change id, which shows changes. */
public abstract class HandleContract extends ContractFixture {
    @Test
    void handles_malformed_areBad() throws Exception {
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(new byte[0])));
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(new byte[] {1, 2, 3})));

        byte[] longer = java.util.Arrays.copyOf(root.toBytes(), root.lengthBytes() + 1);
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(longer)));
    }

    @Test
    void handles_ofReusedNames_differ() throws Exception {
        FileHandle first = file(root, "a");
        fs.remove(ROOT, root, name("a"));
        FileHandle second = file(root, "a");

        assertThat(second).isNotEqualTo(first);
        assertFails(FsError.STALE, () -> attributes(first));
    }

    @Test
    void changeId_everyChange_isDifferentAndRises() throws Exception {
        FileHandle directory = directory(root, "d");
        long before = attributes(directory).changeId();
        for (int i = 0; i < 50; i++) {
            FileHandle file = file(directory, "f" + i);
            long afterCreate = attributes(directory).changeId();
            assertThat(afterCreate).isGreaterThan(before);
            long fileBefore = attributes(file).changeId();
            write(file, 0, bytes("x"));
            long afterWrite = attributes(file).changeId();
            assertThat(afterWrite).isGreaterThan(fileBefore);
            write(file, 0, bytes("y"));
            long afterSecond = attributes(file).changeId();
            assertThat(afterSecond).isGreaterThan(afterWrite);
            fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0600 + i % 8));
            assertThat(attributes(file).changeId()).isGreaterThan(afterSecond);
            another(file, directory, "g" + i);
            long afterLink = attributes(directory).changeId();
            assertThat(afterLink).isGreaterThan(afterCreate);
            if (can(Capability.RENAME)) {
                fs.rename(ROOT, directory, name("g" + i), directory, name("h" + i));
                long afterRename = attributes(directory).changeId();
                assertThat(afterRename).isGreaterThan(afterLink);
                afterLink = afterRename;
            }
            fs.remove(ROOT, directory, name((can(Capability.RENAME) ? "h" : "g") + i));
            before = attributes(directory).changeId();
            assertThat(before).isGreaterThan(afterLink);
        }
    }

    @Test
    void changeId_readsAndListings_leaveIt() throws Exception {
        FileHandle directory = directory(root, "d");
        FileHandle file = file(directory, "f");
        write(file, 0, bytes("x"));
        long ofFile = attributes(file).changeId();
        long ofDirectory = attributes(directory).changeId();
        read(file, 0, 1);
        names(directory);

        lookup(directory, "f");

        assertThat(attributes(file).changeId()).isEqualTo(ofFile);
        assertThat(attributes(directory).changeId()).isEqualTo(ofDirectory);
        assertThat(lookup(directory, "f").attributes().changeId()).isEqualTo(ofFile);
        assertThat(entries(directory, 0, 1).getFirst().node().attributes().changeId())
                .isEqualTo(ofFile);
    }

    @Test
    @Needs(Capability.SPACE)
    void statistics_ofAny_areConsistent() throws Exception {
        FsStatistics statistics = fs.statistics();

        assertThat(statistics.totalBytes()).isPositive();
        assertThat(statistics.freeBytes()).isBetween(0L, statistics.totalBytes());
        assertThat(statistics.availableBytes()).isBetween(0L, statistics.freeBytes());
        assertThat(statistics.freeFiles()).isBetween(0L, statistics.totalFiles());
    }

    @Test
    @Needs({Capability.PERSISTENT_HANDLES, Capability.RENAME, Capability.SYMLINKS})
    void restart_handlesTakenBefore_areGoodOrStaleAsTheyWere() throws Exception {
        if (!keepsFiles()) {
            return;
        }
        FileHandle directory = directory(root, "d");
        FileHandle file = file(directory, "f");
        write(file, 0, bytes("kept"));
        FileHandle moved = file(root, "before");
        fs.rename(ROOT, root, name("before"), directory, name("after"));
        FileHandle gone = file(root, "gone");
        fs.remove(ROOT, root, name("gone"));
        FileHandle link = fs.makeSymlink(ROOT, directory, name("s"), bytes("to"), AttributeChanges.NONE)
                .handle();
        long changeId = attributes(file).changeId();
        long directoryChangeId = attributes(directory).changeId();
        long verifier = fs.writeVerifier();
        restart();

        assertThat(fs.root()).isEqualTo(root);
        assertThat(fs.writeVerifier()).isNotEqualTo(verifier);
        assertThat(read(file, 0, 10)).isEqualTo(bytes("kept"));
        assertThat(attributes(file).changeId()).isGreaterThanOrEqualTo(changeId);
        assertThat(attributes(directory).changeId()).isGreaterThanOrEqualTo(directoryChangeId);
        assertThat(lookup(directory, "f").handle()).isEqualTo(file);
        assertThat(lookup(directory, "after").handle()).isEqualTo(moved);
        assertThat(attributes(moved).type()).isEqualTo(FileType.REGULAR);
        assertThat(fs.readSymlink(ROOT, link)).isEqualTo(bytes("to"));
        assertFails(FsError.STALE, () -> attributes(gone));

        file(root, "gone");
        assertFails(FsError.STALE, () -> attributes(gone));
        assertThat(fs.lookupParent(ROOT, directory).handle()).isEqualTo(root);

        file(directory, "new");
        assertThat(attributes(directory).changeId()).isGreaterThan(directoryChangeId);
    }

    @Test
    @Needs(Capability.PERSISTENT_HANDLES)
    void restart_movedByTheHostMeanwhile_isFoundAgain() throws Exception {
        onlyIf(backend.hostRoot() != null, "no directory of the host");
        FileHandle directory = directory(root, "d");
        FileHandle file = file(directory, "f");
        FileHandle other = directory(root, "e");
        fs.close();
        Files.move(
                backend.hostRoot().resolve("d").resolve("f"),
                backend.hostRoot().resolve("e").resolve("g"));
        Files.move(backend.hostRoot().resolve("e"), backend.hostRoot().resolve("x"));

        fs = backend.start();

        assertThat(attributes(file).type()).isEqualTo(FileType.REGULAR);
        assertThat(lookup(other, "g").handle()).isEqualTo(file);
        assertThat(lookup(root, "x").handle()).isEqualTo(other);
    }

    @Test
    @Needs(Capability.PERSISTENT_HANDLES)
    void restart_exclusiveVerifier_isKept() throws Exception {
        if (!keepsFiles()) {
            return;
        }
        CreateMode exclusive = new CreateMode.Exclusive(-2, AttributeChanges.ofPermissions(0600));
        FileHandle file = fs.create(ROOT, root, name("a"), exclusive).node().handle();
        restart();

        Created repeated = fs.create(ROOT, root, name("a"), exclusive);

        assertThat(repeated.isNew()).isFalse();
        assertThat(repeated.node().handle()).isEqualTo(file);
    }
}
