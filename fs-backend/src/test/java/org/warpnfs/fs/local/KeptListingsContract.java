package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.libc.DescriptorPressure;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Listings by pages of a directory that others change between the pages, on one kind of file system. */
abstract class KeptListingsContract {
    private static final Caller USER = new Caller(1000, 1000, List.of());
    private static final int NAMES = 500;
    private static final int PAGE = 20;
    /** By a clock with this time no directory has changed for long. */
    private static final long LONG_AFTER = Long.MAX_VALUE / 2;

    private Path tree;
    private Path listed;
    private TreeContext context;
    private Namespace namespace;
    private FileHandle directory;
    private int opened;
    private long nowSeconds;

    private final Listing.Calls counted = new Listing.KernelCalls() {
        @Override
        public Fd open(Fd path) throws ErrnoException {
            Fd directory = super.open(path);
            opened++;
            return directory;
        }
    };

    /** A directory of that file system. */
    abstract Path medium();

    @BeforeEach
    void fill() throws Exception {
        opened = 0;
        nowSeconds = LONG_AFTER;
        tree = Files.createTempDirectory(medium(), "tree");
        Files.setPosixFilePermissions(tree, PosixFilePermissions.fromString("rwxr-xr-x"));
        listed = Files.createDirectory(tree.resolve("d"));
        Files.setPosixFilePermissions(listed, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (int i = 0; i < NAMES; i++) {
            Files.createFile(listed.resolve("file-" + i));
        }
        awaitTick();
        context = Startup.open(tree, LocalOptions.DEFAULTS, new Startup.KernelSyncCalls());
        namespace = new Namespace(context);
        directory = namespace
                .lookup(Caller.ROOT, context.handles().root(), FileName.of("d"))
                .handle();
    }

    @AfterEach
    void close() throws IOException {
        context.close();
        TmpfsDirectory.remove(tree);
    }

    /** Waits until a change of the directory has another time than its last one, however coarse the clock is. */
    private void awaitTick() throws IOException {
        FileTime last = (FileTime) Files.getAttribute(listed, "unix:ctime");
        Path probe = tree.resolve("probe");
        do {
            Files.deleteIfExists(probe);
            Files.createFile(probe);
        } while (((FileTime) Files.getAttribute(probe, "unix:ctime")).compareTo(last) <= 0);
        Files.delete(probe);
    }

    /** Takes so many entries, and says how many more it will take. */
    private static class Taking implements FileSystem.EntryVisitor {
        final List<DirectoryEntry> taken = new ArrayList<>();
        private final int most;

        Taking(int most) {
            this.most = most;
        }

        @Override
        public boolean visit(DirectoryEntry entry) {
            return taken.size() < most && taken.add(entry);
        }

        @Override
        public int room() {
            return most - taken.size() + 1;
        }
    }

    private Listing listing() {
        return new Listing(context, counted, () -> nowSeconds);
    }

    private List<DirectoryEntry> page(Caller caller, long cookie) throws Exception {
        Taking taking = new Taking(PAGE);
        boolean _ = listing().list(caller, directory, cookie, null, taking);
        return taking.taken;
    }

    private List<DirectoryEntry> page(long cookie) throws Exception {
        return page(Caller.ROOT, cookie);
    }

    /** All pages from a cookie to the end. */
    private List<DirectoryEntry> pages(long from, @Nullable Set<FileAttribute> wanted) throws Exception {
        List<DirectoryEntry> all = new ArrayList<>();
        long cookie = from;
        while (true) {
            Taking taking = new Taking(PAGE);
            boolean ended = listing().list(Caller.ROOT, directory, cookie, wanted, taking);
            all.addAll(taking.taken);
            if (ended) {
                return all;
            }
            cookie = end(taking.taken);
        }
    }

    private static List<String> names(List<DirectoryEntry> entries) {
        return entries.stream().map(entry -> entry.name().toString()).toList();
    }

    private static long end(List<DirectoryEntry> page) {
        return page.getLast().cookie();
    }

    /** All names in the order of the directory, by one call that keeps nothing. */
    private List<String> inOneCall() throws Exception {
        Taking taking = new Taking(Integer.MAX_VALUE - 1);
        assertThat(listing().list(Caller.ROOT, directory, 0, null, taking)).isTrue();
        return names(taking.taken);
    }

    /** Number of descriptors of the directory. */
    private long descriptors() throws IOException {
        long count = 0;
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : links.toList()) {
                try {
                    if (Files.readSymbolicLink(link).toString().startsWith(listed.toString())) {
                        count++;
                    }
                } catch (IOException e) {
                    // closed meanwhile: that of the listing itself
                }
            }
        }
        return count;
    }

    private static void assertFails(FsError expected, ThrowingCallable call) {
        LocalTreeFixture.assertFails(expected, call);
    }

    @Test
    void pages_ofAWholeDirectory_openItOnce() throws Exception {
        List<DirectoryEntry> entries = pages(0, null);

        assertThat(opened).isEqualTo(1);
        assertThat(names(entries)).containsExactlyElementsOf(inOneCall()).hasSize(NAMES);
        assertThat(context.listings().size()).isZero();
        assertThat(descriptors()).isZero();
    }

    @Test
    void pages_withAttributes_openItOnce() throws Exception {
        List<DirectoryEntry> entries = pages(0, FileAttribute.ALL);

        assertThat(opened).isEqualTo(1);
        assertThat(names(entries)).containsExactlyElementsOf(inOneCall());
        assertThat(entries)
                .allMatch(entry ->
                        entry.node() != null && entry.node().attributes().fileId() == entry.fileId());
    }

    @Test
    void page_oncePerCookie_isKeptForTheNextAlone() throws Exception {
        List<DirectoryEntry> first = page(0);
        assertThat(descriptors()).isEqualTo(1);
        List<DirectoryEntry> next = page(end(first));
        assertThat(opened).isEqualTo(1);

        // A call that is sent again has the cookie of the call before.
        assertThat(names(page(end(first)))).isEqualTo(names(next));
        assertThat(opened).isEqualTo(2);
        // Both stopped at the same place, and one of them is kept.
        assertThat(context.listings().size()).isEqualTo(1);
        assertThat(descriptors()).isEqualTo(1);
        assertThat(names(pages(end(next), null))).isEqualTo(inOneCall().subList(2 * PAGE, NAMES));
    }

    @Test
    void page_takesNothing_isNotKeptAtTheStart_andElsewhereIs() throws Exception {
        assertThat(listing().list(Caller.ROOT, directory, 0, null, _ -> false)).isFalse();
        assertThat(context.listings().size()).isZero();

        long cookie = end(page(0));
        assertThat(listing().list(Caller.ROOT, directory, cookie, null, _ -> false))
                .isFalse();
        assertThat(names(page(cookie))).isEqualTo(inOneCall().subList(PAGE, 2 * PAGE));
        assertThat(opened).isEqualTo(2 + 1);
    }

    @Test
    void visitorFails_nothingIsKept() throws Exception {
        long cookie = end(page(0));
        assertThatThrownBy(() -> listing().list(Caller.ROOT, directory, cookie, null, _ -> {
                    throw new IllegalStateException("a defect");
                }))
                .hasMessage("a defect");

        assertThat(context.listings().size()).isZero();
        assertThat(descriptors()).isZero();
        assertThat(names(page(cookie))).isEqualTo(inOneCall().subList(PAGE, 2 * PAGE));
    }

    @Test
    void changedAMomentAgo_isNotKept() throws Exception {
        nowSeconds = ((FileTime) Files.getAttribute(listed, "unix:ctime")).to(TimeUnit.SECONDS) + 2;
        long cookie = end(page(0));
        assertThat(context.listings().size()).isZero();
        nowSeconds++;
        cookie = end(page(cookie));
        assertThat(context.listings().size()).isEqualTo(1);
        assertThat(page(cookie)).hasSize(PAGE);
        assertThat(opened).isEqualTo(2);
    }

    @Test
    void names_areRemovedOnTheHost_areNotReturnedAfterwards() throws Exception {
        List<String> all = inOneCall();
        long cookie = end(page(0));
        for (String name : all.subList(PAGE, PAGE + 10)) {
            Files.delete(listed.resolve(name));
        }

        assertThat(names(pages(cookie, null))).isEqualTo(all.subList(PAGE + 10, NAMES));
        assertThat(names(pages(0, null))).isEqualTo(inOneCall()).hasSize(NAMES - 10);
    }

    @Test
    void names_areRemovedThroughTheServer_areNotReturnedAfterwards() throws Exception {
        List<String> all = inOneCall();
        long cookie = end(page(0));
        for (String name : all.subList(PAGE, PAGE + 10)) {
            namespace.remove(Caller.ROOT, directory, FileName.of(name));
        }

        assertThat(names(pages(cookie, null))).isEqualTo(all.subList(PAGE + 10, NAMES));
    }

    @Test
    void lastName_thatWasTaken_isRemoved_listingGoesOnBehindIt() throws Exception {
        List<String> all = inOneCall();
        long cookie = end(page(0));
        Files.delete(listed.resolve(all.get(PAGE - 1)));

        assertThat(names(pages(cookie, null))).isEqualTo(all.subList(PAGE, NAMES));
    }

    @Test
    void names_areCreated_aListingFromTheStartHasThem_andOneInProgressHasTheOthersOnce() throws Exception {
        List<String> all = inOneCall();
        long cookie = end(page(0));
        for (int i = 0; i < NAMES; i++) {
            Files.createFile(listed.resolve("new-" + i));
        }

        List<String> seen = new ArrayList<>(all.subList(0, PAGE));
        seen.addAll(names(pages(cookie, null)));
        assertThat(seen).doesNotHaveDuplicates().containsAll(all);
        assertThat(names(pages(0, null))).containsExactlyElementsOf(inOneCall()).hasSize(2 * NAMES);
    }

    @Test
    void names_areRenamed_aListingFromTheStartHasTheNewOnesAlone() throws Exception {
        List<String> all = inOneCall();
        long cookie = end(page(0));
        for (String name : all.subList(PAGE, PAGE + 10)) {
            Files.move(listed.resolve(name), listed.resolve("moved-" + name));
        }

        assertThat(names(pages(cookie, null)))
                .doesNotHaveDuplicates()
                .doesNotContainAnyElementsOf(all.subList(PAGE, PAGE + 10))
                .containsAll(all.subList(PAGE + 10, NAMES));
        assertThat(names(pages(0, null)))
                .containsExactlyElementsOf(inOneCall())
                .hasSize(NAMES)
                .doesNotContainAnyElementsOf(all.subList(PAGE, PAGE + 10));
    }

    /** On some file systems a name that was replaced has another place in the directory. */
    @Test
    void name_isReplaced_theOldFileIsNotReturnedAfterwards() throws Exception {
        String name = inOneCall().get(PAGE);
        Object oldInode = Files.getAttribute(listed.resolve(name), "unix:ino");
        long cookie = end(page(0));
        Path fresh = Files.createFile(tree.resolve("fresh"));
        Object inode = Files.getAttribute(fresh, "unix:ino");
        Files.move(fresh, listed.resolve(name), StandardCopyOption.REPLACE_EXISTING);

        assertThat(pages(cookie, null)).extracting(DirectoryEntry::fileId).doesNotContain((Long) oldInode);
        assertThat(pages(0, null))
                .filteredOn(entry -> entry.name().toString().equals(name))
                .singleElement()
                .extracting(DirectoryEntry::fileId)
                .isEqualTo(inode);
    }

    @Test
    void permission_isRevoked_theNextPageIsRefused() throws Exception {
        assumeThat(context.authority().actsAsCaller()).isTrue();
        long cookie = end(page(USER, 0));
        assertThat(context.listings().size()).isEqualTo(1);
        Files.setPosixFilePermissions(listed, PosixFilePermissions.fromString("rwx------"));

        assertFails(FsError.ACCESS, () -> page(USER, cookie));
        assertThat(context.listings().size()).isZero();
        assertThat(descriptors()).isZero();
    }

    @Test
    void anotherCaller_goesOnWhereOneStopped_hasNoMorePermissionThanAtTheStart() throws Exception {
        assumeThat(context.authority().actsAsCaller()).isTrue();
        Files.setPosixFilePermissions(listed, PosixFilePermissions.fromString("rwx------"));
        awaitTick();
        long cookie = end(page(0));
        Caller groupOfRoot = new Caller(USER.uid(), USER.gid(), List.of(0L));

        assertFails(FsError.ACCESS, () -> page(USER, cookie));
        assertFails(FsError.ACCESS, () -> page(groupOfRoot, cookie));
        assertThat(page(cookie)).hasSize(PAGE);
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void directory_isMoved_listingGoesOn() throws Exception {
        List<String> all = inOneCall();
        long cookie = end(page(0));
        FileHandle root = context.handles().root();
        namespace.rename(Caller.ROOT, root, FileName.of("d"), root, FileName.of("e"));

        assertThat(names(pages(cookie, null))).isEqualTo(all.subList(PAGE, NAMES));
    }

    @Test
    void directory_isRemovedThroughTheServer_isClosedAtOnceAndStale() throws Exception {
        long cookie = end(page(0));
        empty();
        assertThat(descriptors()).isEqualTo(1);
        namespace.removeDirectory(Caller.ROOT, context.handles().root(), FileName.of("d"));

        assertThat(descriptors()).isZero();
        assertFails(FsError.STALE, () -> page(cookie));
        assertFails(FsError.STALE, () -> page(0));
    }

    @Test
    void directory_isReplacedThroughTheServer_isClosedAtOnceAndStale() throws Exception {
        long cookie = end(page(0));
        empty();
        Files.createDirectory(tree.resolve("other"));
        FileHandle root = context.handles().root();
        namespace.rename(Caller.ROOT, root, FileName.of("other"), root, FileName.of("d"));

        assertThat(context.listings().size()).isZero();
        assertFails(FsError.STALE, () -> page(cookie));
    }

    @Test
    void directory_isRemovedOnTheHostAndMadeAgain_isStale() throws Exception {
        long cookie = end(page(0));
        empty();
        Files.delete(listed);
        Files.createDirectory(listed);
        Files.createFile(listed.resolve("file"));

        assertFails(FsError.STALE, () -> page(cookie));
        assertThat(descriptors()).isZero();
        assertFails(FsError.STALE, () -> page(0));
    }

    @Test
    void directory_isRemovedWhileItIsListed_isNotKept() throws Exception {
        long cookie = end(page(0));
        Taking taking = new Taking(PAGE) {
            @Override
            public boolean visit(DirectoryEntry entry) {
                boolean more = super.visit(entry);
                if (!more) {
                    remove();
                }
                return more;
            }
        };
        assertThat(listing().list(Caller.ROOT, directory, cookie, null, taking)).isFalse();

        assertThat(descriptors()).isZero();
        assertThat(context.listings().size()).isZero();
        assertFails(FsError.STALE, () -> page(end(taking.taken)));
    }

    private void remove() {
        try {
            empty();
            namespace.removeDirectory(Caller.ROOT, context.handles().root(), FileName.of("d"));
        } catch (IOException | FsException e) {
            throw new IllegalStateException(e);
        }
    }

    private void empty() throws IOException {
        for (int i = 0; i < NAMES; i++) {
            Files.delete(listed.resolve("file-" + i));
        }
    }

    @Test
    void descriptorsAreShort_keptOnesAreClosed_andListingGoesOn() throws Exception {
        List<String> all = inOneCall();
        long cookie = end(page(0));
        assertThat(DescriptorPressure.relieve()).isTrue();

        assertThat(descriptors()).isZero();
        assertThat(names(pages(cookie, null))).isEqualTo(all.subList(PAGE, NAMES));
    }

    @Test
    void treeIsClosed_noneIsLeft() throws Exception {
        List<DirectoryEntry> _ = page(0);
        assertThat(descriptors()).isEqualTo(1);
        context.close();
        assertThat(descriptors()).isZero();
    }
}
