package org.warpnfs.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;

class ExportTableTest {
    private static final Caller CALLER = new Caller(1000, 1000, List.of());

    private final Export data = export("/srv/data");
    private final Export home = export("/srv/home");
    private final Export scratch = export("/scratch");
    private final ExportTable table = ExportTable.of(List.of(data, home, scratch));

    @Test
    void path_oddSlashes_areNormalised() {
        assertThat(PseudoPath.of("//a///b/")).isEqualTo(PseudoPath.of("/a/b")).hasToString("/a/b");
        assertThat(PseudoPath.of("/")).isEqualTo(PseudoPath.root()).hasToString("/");
        assertThat(PseudoPath.of("/a/b").parent()).isEqualTo(PseudoPath.of("/a"));
        assertThat(PseudoPath.root().parent()).isEqualTo(PseudoPath.root());
    }

    @Test
    void path_notOne_saysWhy() {
        for (String path : new String[] {"", "a/b", "/a/../b", "/./a", "/" + "n".repeat(256), "/a\0b"}) {
            assertThatThrownBy(() -> PseudoPath.of(path))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("export path");
        }
    }

    @Test
    void key_samePath_isTheSameInEveryProcess() {
        // SipHash-2-4 under the key 00..0f, low 32 bits. Fixed for ever: clients keep handles with these keys over
        // restarts and upgrades.
        assertThat(export("/srv/data").key()).isEqualTo(data.key()).isEqualTo(0xe294c3ee);
        assertThat(export("/").key()).isNotEqualTo(Export.PSEUDO_KEY);
        assertThat(data.key()).isNotEqualTo(home.key());
    }

    @Test
    void table_twoAtOnePath_isRefused() {
        assertThatThrownBy(() -> ExportTable.of(List.of(data, export("/srv/data"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two exports at /srv/data");
    }

    @Test
    void table_oneBelowTheOther_needsADirectoryThere() throws FsException {
        for (String other : new String[] {"/srv/data/deep/er", "/srv/data/deep"}) {
            assertThatThrownBy(() -> ExportTable.of(List.of(data, export(other))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("below")
                    .hasMessageContaining("NO_ENTRY");
        }
        directory(data, data.root().file(), "deep");
        assertThat(ExportTable.of(List.of(export("/srv/data/deep"), data)).exports())
                .hasSize(2);
    }

    @Test
    void nested_walkFromTheExportAbove_andBack() throws FsException {
        FileHandle deep = directory(data, data.root().file(), "deep");
        directory(data, deep, "er");
        Export nested = export("/srv/data/deep/er");
        ExportTable both = ExportTable.of(List.of(data, nested));
        Location holder = new Location(data, deep);
        assertThat(both.mountedAt(holder, FileName.of("er"))).isEqualTo(nested.root());
        assertThat(both.mountedAt(holder, FileName.of("or"))).isNull();
        assertThat(both.mountedAt(data.root(), FileName.of("er"))).isNull();
        assertThat(both.hasMounts(holder)).isTrue();
        assertThat(both.hasMounts(data.root())).isFalse();
        assertThat(both.parentOf(CALLER, nested.root())).isEqualTo(holder);
    }

    @Test
    void nested_directoryAboveIsRenamed_mountPointMovesWithIt() throws FsException {
        FileHandle deep = directory(data, data.root().file(), "deep");
        directory(data, deep, "er");
        Export nested = export("/srv/data/deep/er");
        ExportTable both = ExportTable.of(List.of(data, nested));
        FileHandle top = data.root().file();
        data.fileSystem().rename(Caller.ROOT, top, FileName.of("deep"), top, FileName.of("moved"));
        assertThat(both.mountedAt(new Location(data, deep), FileName.of("er"))).isEqualTo(nested.root());
    }

    @Test
    void replace_otherExports_areServedAndTheRestIsGone() {
        Export fresh = export("/fresh");
        Export again = export("/srv/home");
        assertThat(table.replace(List.of(again, fresh))).containsExactlyInAnyOrder(data, scratch);
        assertThat(table.exports()).containsExactly(again, fresh);
        assertThat(table.byKey(data.key())).isNull();
        assertThat(table.byKey(home.key())).isSameAs(again);
    }

    @Test
    void replace_exportsThatDoNotFit_changeNothing() {
        ChangeWindows windows = table.changeWindows();
        assertThatThrownBy(() -> table.replace(List.of(data, export("/srv/data"))))
                .hasMessageContaining("two exports");
        assertThat(table.exports()).containsExactly(data, home, scratch);
        assertThat(table.changeWindows()).isSameAs(windows);
    }

    @Test
    void fsid_given_namesTheExportWhereverItStands() {
        ExportTraits traits = ExportTraits.DEFAULTS.withFsid("17");
        Export here = withTraits("/here", traits);
        assertThat(withTraits("/there", traits).key()).isEqualTo(here.key());
        assertThat(withTraits("/here", traits.withFsid("18")).key()).isNotEqualTo(here.key());
        assertThatThrownBy(() -> ExportTable.of(List.of(here, withTraits("/there", traits))))
                .hasMessageContaining("the same fsid");
    }

    private static Export withTraits(String path, ExportTraits traits) {
        return Export.of(
                PseudoPath.of(path),
                new MemoryFileSystem(1 << 20, 100),
                ExportPolicy.everyone(ExportOptions.DEFAULTS),
                traits,
                "memory");
    }

    private static FileHandle directory(Export export, FileHandle parent, String name) throws FsException {
        return export.fileSystem()
                .makeDirectory(Caller.ROOT, parent, FileName.of(name), AttributeChanges.ofPermissions(0755))
                .handle();
    }

    @Test
    void table_lookups_findWhatWasPutIn() {
        assertThat(table.exports()).containsExactly(data, home, scratch);
        assertThat(table.byPath(PseudoPath.of("/srv/home"))).isSameAs(home);
        assertThat(table.byPath(PseudoPath.of("/srv"))).isNull();
        assertThat(table.byKey(scratch.key())).isSameAs(scratch);
        assertThat(table.byKey(Export.PSEUDO_KEY)).isSameAs(table.root().export());
        assertThat(table.byKey(12345)).isNull();
    }

    private static long changeIdOfRoot(Export... exports) throws FsException {
        Location root = ExportTable.of(List.of(exports)).root();
        return root.export().fileSystem().attributes(root.file()).changeId();
    }

    @Test
    void virtualRoot_changeId_isAnotherForOtherExportsAndTheSameAfterARestart() throws FsException {
        long before = changeIdOfRoot(data, home);
        assertThat(changeIdOfRoot(export("/srv/home"), export("/srv/data"))).isEqualTo(before);
        assertThat(changeIdOfRoot(data, home, scratch)).isNotEqualTo(before);
        assertThat(changeIdOfRoot(data, scratch)).isNotEqualTo(before);
    }

    /** Clients keep what the root says of limits when they enter an export. */
    @Test
    void virtualRoot_limits_areNotBelowThoseOfTheExports() throws FsException {
        FsLimits limits =
                ExportTable.of(List.of(data, home)).root().fileSystem().limits();
        FsLimits ofExport = data.fileSystem().limits();
        assertThat(limits.maxFileSizeBytes()).isEqualTo(ofExport.maxFileSizeBytes());
        assertThat(limits.maxLinks()).isEqualTo(ofExport.maxLinks());
        assertThat(limits.maxNameBytes()).isGreaterThanOrEqualTo(ofExport.maxNameBytes());
        assertThat(limits.capabilities())
                .contains(Capability.HARD_LINKS, Capability.SYMLINKS, Capability.XATTRS, Capability.ACLS);
        assertThat(ofExport.capabilities())
                .contains(Capability.HARD_LINKS, Capability.SYMLINKS, Capability.XATTRS, Capability.ACLS);
        assertThat(ExportTable.of(List.of()).root().fileSystem().limits().maxFileSizeBytes())
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void virtualRoot_attributesAndLists_areThoseOfADirectoryThatHasNone() throws FsException {
        Location root = ExportTable.of(List.of(data)).root();
        FileSystem files = root.fileSystem();
        assertThat(files.acls(root.file())).isEqualTo(Acls.NONE);
        assertThat(files.listXattrs(Caller.ROOT, root.file())).isEmpty();
        assertThatThrownBy(() -> files.getXattr(Caller.ROOT, root.file(), new byte[] {'a'}))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.NO_ATTRIBUTE));
    }

    @Test
    void root_exportAtSlash_isThatExport() throws FsException {
        Export all = export("/");
        ExportTable single = ExportTable.of(List.of(all));
        assertThat(single.root()).isEqualTo(all.root());
        assertThat(single.parentOf(CALLER, single.root())).isEqualTo(single.root());
    }

    @Test
    void root_noExportAtAll_isAnEmptyDirectory() throws FsException {
        ExportTable empty = ExportTable.of(List.of());
        assertThat(names(empty.root())).isEmpty();
    }

    @Test
    void walk_fromTheRootThroughAnExport_andBack() throws FsException {
        Location root = table.root();
        assertThat(root.export().isPseudo()).isTrue();
        assertThat(names(root)).containsExactlyInAnyOrder("srv", "scratch");

        Location srv = child(root, "srv");
        assertThat(srv.export().isPseudo()).isTrue();
        assertThat(names(srv)).containsExactly("data", "home");

        Location mountPoint = child(srv, "data");
        assertThat(mountPoint.export().isPseudo()).isTrue();
        Location inside = table.mountedAt(srv, FileName.of("data"));
        assertThat(inside).isEqualTo(data.root());

        assertThat(table.parentOf(CALLER, inside)).isEqualTo(srv);
        assertThat(table.parentOf(CALLER, srv)).isEqualTo(root);
        assertThat(table.parentOf(CALLER, root)).isEqualTo(root);
    }

    @Test
    void parentOf_belowAnExportsRoot_staysInside() throws FsException {
        FileHandle directory = data.fileSystem()
                .makeDirectory(
                        Caller.ROOT, data.fileSystem().root(), FileName.of("d"), AttributeChanges.ofPermissions(0755))
                .handle();
        assertThat(table.parentOf(CALLER, new Location(data, directory))).isEqualTo(data.root());
    }

    @Test
    void pseudo_list_resumesAfterEachCookie() throws FsException {
        FileSystem pseudo = table.root().export().fileSystem();
        List<DirectoryEntry> all = new ArrayList<>();
        assertThat(pseudo.list(CALLER, pseudo.root(), 0, true, all::add)).isTrue();
        for (int i = 0; i < all.size(); i++) {
            List<DirectoryEntry> rest = new ArrayList<>();
            assertThat(pseudo.list(CALLER, pseudo.root(), all.get(i).cookie(), true, rest::add))
                    .isTrue();
            assertThat(rest).isEqualTo(all.subList(i + 1, all.size()));
        }
        assertThat(pseudo.list(CALLER, pseudo.root(), 0, false, entry -> false)).isFalse();
        for (long cookie : new long[] {1, 99, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertError(FsError.BAD_COOKIE, () -> pseudo.list(CALLER, pseudo.root(), cookie, false, entry -> true));
        }
    }

    @Test
    void pseudo_changes_areRefused() throws FsException {
        FileSystem pseudo = table.root().export().fileSystem();
        FileHandle root = pseudo.root();
        FileName name = FileName.of("x");
        assertError(FsError.READ_ONLY, () -> pseudo.makeDirectory(Caller.ROOT, root, name, AttributeChanges.NONE));
        assertError(
                FsError.READ_ONLY, () -> pseudo.setAttributes(Caller.ROOT, root, AttributeChanges.ofPermissions(0)));
        assertError(FsError.READ_ONLY, () -> pseudo.removeDirectory(Caller.ROOT, root, FileName.of("srv")));
        assertError(FsError.NO_ENTRY, () -> pseudo.lookup(CALLER, root, name));
        assertError(FsError.STALE, () -> pseudo.attributes(FileHandle.of(new byte[8])));
        assertThat(pseudo.permissions(CALLER, root, Set.of(Permission.READ, Permission.WRITE)))
                .containsExactly(Permission.READ);
    }

    @Test
    void pseudo_otherTable_keepsHandlesAndFileIds() throws FsException {
        ExportTable later = ExportTable.of(List.of(scratch, export("/new"), export("/srv/home")));
        FileSystem before = table.root().export().fileSystem();
        FileSystem after = later.root().export().fileSystem();
        FileHandle srv =
                before.lookup(CALLER, before.root(), FileName.of("srv")).handle();
        assertThat(after.root()).isEqualTo(before.root());
        assertThat(after.attributes(srv).fileId())
                .isEqualTo(before.attributes(srv).fileId());
        assertThat(after.attributes(srv).changeId())
                .isNotEqualTo(before.attributes(srv).changeId());
    }

    static Export export(String path) {
        return Export.of(PseudoPath.of(path), new MemoryFileSystem(1 << 20, 100), ExportOptions.DEFAULTS, "memory");
    }

    private static Location child(Location directory, String name) throws FsException {
        FileSystem fs = directory.export().fileSystem();
        return directory.sibling(
                fs.lookup(CALLER, directory.file(), FileName.of(name)).handle());
    }

    private static List<String> names(Location directory) throws FsException {
        List<String> names = new ArrayList<>();
        directory
                .export()
                .fileSystem()
                .list(
                        CALLER,
                        directory.file(),
                        0,
                        false,
                        entry -> names.add(entry.name().toString()));
        return names;
    }

    private static void assertError(FsError error, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FsException.class, e -> assertThat(e.error())
                .isEqualTo(error));
    }
}
