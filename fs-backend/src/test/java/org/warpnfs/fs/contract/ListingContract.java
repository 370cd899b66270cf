package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;

/** Listings of directories, also while they change. */
public abstract class ListingContract extends ContractFixture {
    @Test
    void list_empty_reachesTheEndAtOnce() throws Exception {
        FileHandle directory = directory(root, "d");

        assertThat(fs.list(ROOT, directory, 0, true, entry -> true)).isTrue();
        assertThat(names(directory)).isEmpty();
    }

    @Test
    void list_everyKind_hasHandleAndAttributesOfLookup() throws Exception {
        FileHandle directory = directory(root, "d");
        file(directory, "f");
        directory(directory, "s");
        int kinds = 2;
        if (can(Capability.SYMLINKS)) {
            fs.makeSymlink(ROOT, directory, name("l"), bytes("f"), AttributeChanges.NONE);
            kinds++;
        }
        if (can(Capability.SPECIAL_FILES)) {
            fs.makeSpecial(ROOT, directory, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0600));
            kinds++;
        }
        List<DirectoryEntry> entries = entries(directory, 0, 100);

        assertThat(entries).hasSize(kinds).allSatisfy(entry -> {
            assertThat(entry.node().handle())
                    .isEqualTo(fs.lookup(ROOT, directory, entry.name()).handle());
            assertThat(entry.fileId()).isEqualTo(entry.node().attributes().fileId());
            assertThat(entry.node().attributes())
                    .isEqualTo(attributes(entry.node().handle()));
        });
    }

    @Test
    void list_withoutNodes_hasNone() throws Exception {
        FileHandle file = file(root, "f");
        List<DirectoryEntry> entries = new ArrayList<>();
        fs.list(ROOT, root, 0, false, entries::add);

        assertThat(entries).singleElement().satisfies(entry -> {
            assertThat(entry.node()).isNull();
            assertThat(entry.error()).isNull();
            assertThat(entry.type()).isEqualTo(backend.listsTypes() ? FileType.REGULAR : null);
            assertThat(entry.fileId()).isEqualTo(attributes(file).fileId());
        });
    }

    @Test
    void list_directoryThatMayBeReadButNotSearched_tellsEachNameAndWhyThereIsNoNode() throws Exception {
        FileHandle directory = ownedDirectory(USER, "d", 0755);
        FileHandle file = file(ROOT, directory, "f", 0644);
        FileHandle inner = directory(ROOT, directory, "s", 0755);
        giveAway(directory, "d", USER, 0444);
        List<DirectoryEntry> entries = new ArrayList<>();

        assertThat(fs.list(USER, directory, 0, true, entries::add)).isTrue();
        assertThat(entries).hasSize(2).allSatisfy(entry -> {
            assertThat(entry.node()).isNull();
            assertThat(entry.error()).isEqualTo(FsError.ACCESS);
        });
        assertThat(entries)
                .extracting(entry -> entry.name().toString(), DirectoryEntry::fileId, DirectoryEntry::type)
                .containsExactlyInAnyOrder(
                        tuple("f", attributes(file).fileId(), backend.listsTypes() ? FileType.REGULAR : null),
                        tuple("s", attributes(inner).fileId(), FileType.DIRECTORY));
    }

    @Test
    void list_stoppedAnywhere_resumesWithWhatWasNotTaken() throws Exception {
        FileHandle directory = directory(root, "d");
        Set<String> expected = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            file(directory, "file" + i);
            expected.add("file" + i);
        }
        for (int step : new int[] {1, 2, 7, 39, 40, 41}) {
            List<String> seen = new ArrayList<>();
            long cookie = 0;
            while (true) {
                List<DirectoryEntry> part = entries(directory, cookie, step);
                if (part.isEmpty()) {
                    break;
                }
                part.forEach(entry -> seen.add(entry.name().toString()));
                cookie = part.getLast().cookie();
            }
            assertThat(seen).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void list_cookies_avoidThoseOfTheProtocolsAndDiffer() throws Exception {
        FileHandle directory = directory(root, "d");
        for (int i = 0; i < 100; i++) {
            file(directory, "f" + i);
        }
        List<Long> cookies =
                entries(directory, 0, 1000).stream().map(DirectoryEntry::cookie).toList();

        assertThat(cookies).doesNotHaveDuplicates().doesNotContain(0L, 1L, 2L);
    }

    @Test
    void list_manyLongNamesWhileTheDirectoryChanges_showsWhatStayedOnce() throws Exception {
        FileHandle directory = directory(root, "d");
        FileHandle linked = file(root, "target");
        int count = 1000;
        Set<String> staying = new HashSet<>();
        for (int i = 0; i < count; i++) {
            String longName = "%0240d".formatted(i);
            another(linked, directory, longName);
            if (i % 2 == 0) {
                staying.add(longName);
            }
        }
        List<String> seen = new ArrayList<>();
        long cookie = 0;
        int round = 0;
        while (true) {
            List<DirectoryEntry> part = entries(directory, cookie, 50);
            if (part.isEmpty()) {
                break;
            }
            for (DirectoryEntry entry : part) {
                seen.add(entry.name().toString());
            }
            cookie = part.getLast().cookie();
            for (int i = 0; i < 10 && round < 15; i++) {
                int victim = 2 * (round * 10 + i) + 1;
                FileName name = name("%0240d".formatted(victim % count));
                try {
                    fs.remove(ROOT, directory, name);
                } catch (org.warpnfs.fs.spi.FsException e) {
                    assertThat(e.error()).isEqualTo(org.warpnfs.fs.spi.FsError.NO_ENTRY);
                }
                another(linked, directory, "new-%d-%d".formatted(round, i));
            }
            round++;
        }

        assertThat(seen).doesNotHaveDuplicates().containsAll(staying);
    }

    @Test
    void list_resumedAtARemovedName_goesOnBehindIt() throws Exception {
        FileHandle directory = directory(root, "d");
        for (int i = 0; i < 20; i++) {
            file(directory, "f" + i);
        }
        List<DirectoryEntry> all = entries(directory, 0, 100);

        fs.remove(ROOT, directory, all.get(9).name());

        assertThat(entries(directory, all.get(9).cookie(), 100))
                .extracting(DirectoryEntry::name)
                .containsExactlyElementsOf(
                        all.subList(10, 20).stream().map(DirectoryEntry::name).toList());
    }

    @Test
    void list_namesOfAnyBytes_areKept() throws Exception {
        FileHandle directory = directory(root, "d");
        FileName odd = FileName.of(new byte[] {(byte) 0xff, (byte) 0xfe, '\n', ' ', (byte) 0x80});
        fs.makeDirectory(ROOT, directory, odd, AttributeChanges.ofPermissions(0700));
        FileName longest = FileName.of("n".repeat(255));
        fs.makeDirectory(ROOT, directory, longest, AttributeChanges.ofPermissions(0700));

        assertThat(entries(directory, 0, 10)).extracting(DirectoryEntry::name).containsExactlyInAnyOrder(odd, longest);
        assertThat(fs.lookup(ROOT, directory, odd).attributes().type()).isEqualTo(FileType.DIRECTORY);
    }
}
