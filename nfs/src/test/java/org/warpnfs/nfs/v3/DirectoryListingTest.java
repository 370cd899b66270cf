package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v3.V3Server.READDIR;
import static org.warpnfs.nfs.v3.V3Server.READDIRPLUS;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.testkit.Seeds;

class DirectoryListingTest {
    private final V3Server server = new V3Server();
    private final byte[] root = server.root();

    /** One reply: its entries, eof, and the length of READDIR3resok or READDIRPLUS3resok. */
    private record Page(List<V3Reply.Entry> entries, boolean eof, int bytes) {}

    private V3Reply plus(byte[] directory, long cookie, int dircount, int maxcount) {
        return server.call(
                READDIRPLUS, c -> c.opaque(directory).hyper(cookie).hyper(0).words(dircount, maxcount));
    }

    private V3Reply plain(byte[] directory, long cookie, int count) {
        return server.call(
                READDIR, c -> c.opaque(directory).hyper(cookie).hyper(0).words(count));
    }

    private static Page page(V3Reply reply, boolean plus) {
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        int start = reply.position();
        assertThat(reply.postOp()).isNotNull();
        assertThat(reply.hyper()).as("cookie verifier").isZero();
        List<V3Reply.Entry> entries = reply.entries(plus);
        boolean eof = reply.bool();
        reply.end();
        return new Page(entries, eof, reply.position() - start);
    }

    private static List<String> names(Page page) {
        return page.entries().stream().map(V3Reply.Entry::name).toList();
    }

    @Test
    void readdir_emptyDirectory_isDots() {
        byte[] directory = server.directory("d", 0755);
        Page page = page(plain(directory, 0, 4096), false);
        assertThat(names(page)).containsExactly(".", "..");
        assertThat(page.eof()).isTrue();
        assertThat(page.entries().get(0).fileid())
                .isEqualTo(server.attributes(directory).fileid());
        assertThat(page.entries().get(1).fileid())
                .isEqualTo(server.attributes(root).fileid());
        assertThat(page.entries()).extracting(V3Reply.Entry::cookie).containsExactly(1L, 2L);
        assertThat(names(page(plain(directory, 1, 4096), false))).containsExactly("..");
        Page end = page(plain(directory, 2, 4096), false);
        assertThat(end.entries()).isEmpty();
        assertThat(end.eof()).isTrue();
    }

    @Test
    void readdir_exportsRoot_isItsOwnParent() {
        Page page = page(plain(root, 0, 4096), false);
        assertThat(page.entries().get(1).fileid())
                .isEqualTo(page.entries().get(0).fileid());
        Page plus = page(plus(root, 0, 4096, 4096), true);
        assertThat(plus.entries().get(1).handle()).isEqualTo(Nfs3Handle.of(root));
    }

    @Test
    void readdirplus_entries_haveAttributesAndHandles() {
        byte[] file = server.file("f", 0640, "hello");
        Page page = page(plus(root, 0, 4096, 4096), true);
        assertThat(names(page)).containsExactly(".", "..", "f");
        V3Reply.Entry entry = page.entries().get(2);
        assertThat(entry.handle()).isEqualTo(Nfs3Handle.of(file));
        assertThat(entry.attributes()).isEqualTo(server.attributes(file));
    }

    @Test
    void readdirplus_directoryThatMayNotBeSearched_hasNamesAlone() {
        byte[] directory = server.directory("d", 0755);
        assertThat(server.call(
                                V3Server.CREATE,
                                c -> c.opaque(directory).string("f").words(1).words(V3Server.NO_SATTR))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        server.call(V3Server.SETATTR, c -> c.opaque(directory).words(1, 0744, 0, 0, 0, 0, 0, 0))
                .status();
        server.uid = 2000;
        server.gid = 2000;
        Page page = page(plus(directory, 0, 4096, 4096), true);
        assertThat(names(page)).containsExactly(".", "..", "f");
        assertThat(page.entries()).allSatisfy(entry -> {
            assertThat(entry.attributes()).isNull();
            assertThat(entry.handle()).isNull();
        });
        byte[] shut = server.directory("shut", 0711);
        assertThat(plus(shut, 0, 4096, 4096).status()).isEqualTo(Nfs3Status.ACCES);
        assertThat(plain(shut, 2, 4096).status()).isEqualTo(Nfs3Status.ACCES);
    }

    @Test
    void readdir_anyCount_isFilledToTheLastByteThatFits() {
        for (int i = 0; i < 40; i++) {
            server.file("n".repeat(1 + i % 9) + i, 0600, "");
        }
        Page all = page(plain(root, 0, 1 << 20), false);
        Page allPlus = page(plus(root, 0, 1 << 20, 1 << 20), true);
        for (int count = 0; count < all.bytes() + 8; count++) {
            check(plain(root, 0, count), false, count, all);
        }
        for (int count = 0; count < allPlus.bytes() + 8; count += 4) {
            check(plus(root, 0, 1 << 20, count), true, count, allPlus);
        }
    }

    /** Checks that a page of at most {@code count} bytes has as many of the entries of {@code all} as fit. */
    private static void check(V3Reply reply, boolean plus, int count, Page all) {
        int bytes = all.bytes()
                - all.entries().stream().mapToInt(V3Reply.Entry::bytes).sum();
        int fitting = 0;
        while (fitting < all.entries().size()
                && bytes + all.entries().get(fitting).bytes() <= count) {
            bytes += all.entries().get(fitting++).bytes();
        }
        if (fitting == 0) {
            assertThat(reply.status()).as("count %d", count).isEqualTo(Nfs3Status.TOOSMALL);
            assertThat(reply.postOp()).isNotNull();
            reply.end();
            return;
        }
        Page page = page(reply, plus);
        assertThat(page.entries()).as("count %d", count).isEqualTo(all.entries().subList(0, fitting));
        assertThat(page.bytes()).isEqualTo(bytes).isLessThanOrEqualTo(count);
        assertThat(page.eof()).isEqualTo(fitting == all.entries().size());
    }

    @Test
    void readdirplus_dircount_boundsTheInformationBehindTheFirstEntry() {
        for (int i = 0; i < 20; i++) {
            server.file("file" + i, 0600, "");
        }
        for (int dircount = 0; dircount < 24 + 24 + 20 * 28; dircount += 4) {
            int information = page(plus(root, 0, dircount, 1 << 20), true).entries().stream()
                    .mapToInt(entry -> 20 + (entry.name().length() + 3 & -4))
                    .sum();
            assertThat(information).isLessThanOrEqualTo(Math.max(dircount, 24));
            assertThat(dircount - information).isLessThan(28);
        }
    }

    /** It is a hint (RFC 1813, section 3.3.17): a client that asks for little must still get to the end. */
    @Test
    void readdirplus_tinyDircount_getsOneEntryAtATime_unlessMaxcountIsTooSmall() {
        for (int i = 0; i < 5; i++) {
            server.file("a-name-that-is-longer-than-dircount-" + i, 0600, "");
        }
        List<String> seen = new ArrayList<>();
        long cookie = 0;
        boolean eof = false;
        while (!eof) {
            Page page = page(plus(root, cookie, 1, 4096), true);
            assertThat(page.entries()).hasSizeLessThanOrEqualTo(1);
            for (V3Reply.Entry entry : page.entries()) {
                seen.add(entry.name());
                cookie = entry.cookie();
            }
            eof = page.eof();
        }
        assertThat(seen).hasSize(7).doesNotHaveDuplicates();
        assertThat(plus(root, 0, 1, 128).status()).isEqualTo(Nfs3Status.TOOSMALL);
    }

    @Test
    void readdir_hugeCounts_areCutToTheServersOwn() {
        assertThat(page(plain(root, 0, -1), false).eof()).isTrue();
        assertThat(page(plus(root, 0, -1, -1), true).eof()).isTrue();
    }

    @Test
    void readdir_notADirectory_isRefused() {
        byte[] file = server.file("f", 0600, "");
        assertThat(plain(file, 0, 4096).status()).isEqualTo(Nfs3Status.NOTDIR);
        assertThat(plus(file, 0, 4096, 4096).status()).isEqualTo(Nfs3Status.NOTDIR);
    }

    @Test
    void readdirplus_3000LongNamesWhileTheyChange_showsEachThatStaysOnce() {
        Seeds.each(2, seed -> {
            Random random = new Random(seed);
            V3Server busy = new V3Server();
            Set<String> staying = new HashSet<>();
            List<String> going = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                String name = "long-name-".repeat(20) + i;
                add(busy, name);
                if (random.nextInt(4) == 0) {
                    going.add(name);
                } else {
                    staying.add(name);
                }
            }
            List<String> seen = listWhileChanging(busy, going, random);
            assertThat(seen).doesNotHaveDuplicates().containsAll(staying).contains(".", "..");
        });
    }

    private static List<String> listWhileChanging(V3Server busy, List<String> going, Random random) {
        List<String> seen = new ArrayList<>();
        long cookie = 0;
        int added = 0;
        for (boolean eof = false; !eof; ) {
            long from = cookie;
            int maxcount = 1024 + random.nextInt(8192);
            Page page = page(
                    busy.call(
                            READDIRPLUS,
                            c -> c.opaque(busy.root()).hyper(from).hyper(0).words(maxcount, maxcount)),
                    true);
            assertThat(page.bytes()).isLessThanOrEqualTo(maxcount);
            page.entries().forEach(entry -> seen.add(entry.name()));
            eof = page.eof();
            cookie =
                    page.entries().isEmpty() ? cookie : page.entries().getLast().cookie();
            if (!going.isEmpty()) {
                String gone = going.remove(random.nextInt(going.size()));
                assertThat(busy.call(V3Server.REMOVE, c -> c.opaque(busy.root()).string(gone))
                                .status())
                        .isEqualTo(Nfs3Status.OK);
            }
            if (added < 500) {
                add(busy, "new" + added++);
            }
        }
        return seen;
    }

    private static void add(V3Server server, String name) {
        try {
            server.fs.create(
                    new Caller(V3Server.ALICE, V3Server.GROUP, List.of()),
                    server.fs.root(),
                    FileName.of(name),
                    new CreateMode.Guarded(AttributeChanges.ofPermissions(0600)));
        } catch (FsException e) {
            throw new AssertionError(e);
        }
    }
}
