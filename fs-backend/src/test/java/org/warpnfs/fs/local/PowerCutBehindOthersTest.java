package org.warpnfs.fs.local;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * A change that was answered is there after a power cut, even if it rests on a name or a file that another call made
 * and has not synced: one that still runs, one whose sync failed, or one of a server that was killed. A change by the
 * host stands for it here, since nobody syncs that.
 */
class PowerCutBehindOthersTest extends PowerCutFixture {
    private static FileName name(String name) throws Exception {
        return FileName.of(name);
    }

    private void makeByHost(String path) throws Exception {
        Path _ = Files.createFile(path(path));
    }

    private void makeDirectoryByHost(String path) throws Exception {
        Path _ = Files.createDirectory(path(path));
    }

    private void renameByHost(String from, String to) throws Exception {
        Path _ = Files.move(path(from), path(to));
    }

    private void createUnchecked(String name, AttributeChanges attributes) throws Exception {
        fs.create(ROOT, find("a"), name(name), new CreateMode.Unchecked(attributes));
    }

    private void commit(String path) throws Exception {
        try (OpenFile open = fs.open(ROOT, find(path), OpenAccess.READ)) {
            open.sync();
        }
    }

    /** What one of two names holds: a handle leads to the file by either of them. */
    private Object either(Look one, Look other, String nameOfOne) throws Exception {
        return isThere(nameOfOne).equals(true) ? one.at() : other.at();
    }

    @Override
    Map<String, Case> cases() {
        Map<String, Case> cases = new LinkedHashMap<>();
        Change nothing = () -> {};
        cases.put(
                "unchecked create",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/u");
                            createUnchecked("u", MODE);
                        },
                        () -> attribute("a/u", "mode")));
        cases.put(
                "unchecked create that empties",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/ue");
                            createUnchecked("ue", AttributeChanges.ofSize(0));
                        },
                        () -> contents("a/ue")));
        cases.put(
                "unchecked create of a length",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/ul");
                            createUnchecked("ul", AttributeChanges.ofSize(LENGTH_BYTES));
                        },
                        () -> contents("a/ul")));
        cases.put(
                "unchecked create of a second name",
                new Case(
                        () -> makeByHost("a/first"),
                        () -> {
                            Path _ = Files.createLink(path("a/second"), path("a/first"));
                            createUnchecked("second", MODE);
                        },
                        () -> isThere("a/second")));
        cases.put(
                "unchecked create of a new name",
                new Case(
                        () -> makeByHost("b/old"),
                        () -> {
                            renameByHost("b/old", "a/new");
                            createUnchecked("new", AttributeChanges.ofSize(0));
                        },
                        () -> isThere("a/new")));
        cases.put(
                "create in a directory",
                new Case(
                        nothing,
                        () -> {
                            makeDirectoryByHost("a/d");
                            create("a/d", "f");
                        },
                        () -> attribute("a/d/f", "mode")));
        cases.put(
                "mkdir in a directory of a directory",
                new Case(
                        nothing,
                        () -> {
                            makeDirectoryByHost("a/d1");
                            makeDirectoryByHost("a/d1/d2");
                            fs.makeDirectory(ROOT, find("a/d1/d2"), name("d3"), MODE);
                        },
                        () -> isThere("a/d1/d2/d3")));
        cases.put(
                "create in a directory that was renamed",
                new Case(
                        () -> makeDirectoryByHost("a/before"),
                        () -> {
                            renameByHost("a/before", "b/after");
                            create("b/after", "f");
                        },
                        () -> either(() -> isThere("a/before/f"), () -> isThere("b/after/f"), "a/before")));
        cases.put(
                "commit",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/c");
                            write("a/c", LENGTH_BYTES, Stability.UNSTABLE);
                            commit("a/c");
                        },
                        () -> contents("a/c")));
        cases.put(
                "commit in a directory",
                new Case(
                        nothing,
                        () -> {
                            makeDirectoryByHost("a/cd");
                            makeByHost("a/cd/c");
                            write("a/cd/c", LENGTH_BYTES, Stability.UNSTABLE);
                            commit("a/cd/c");
                        },
                        () -> contents("a/cd/c")));
        cases.put(
                "commit of a file that was renamed",
                new Case(
                        () -> makeByHost("a/cr"),
                        () -> {
                            write("a/cr", LENGTH_BYTES, Stability.UNSTABLE);
                            renameByHost("a/cr", "b/cr");
                            commit("b/cr");
                        },
                        () -> either(() -> contents("a/cr"), () -> contents("b/cr"), "a/cr")));
        cases.put(
                "stable write",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/w");
                            write("a/w", LENGTH_BYTES, Stability.FILE_SYNC);
                        },
                        () -> contents("a/w")));
        cases.put(
                "permissions",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/p");
                            set("a/p", AttributeChanges.ofPermissions(0600));
                        },
                        () -> attribute("a/p", "mode")));
        cases.put(
                "link",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/l");
                            fs.link(ROOT, find("a/l"), find("b"), name("l2"));
                        },
                        () -> attribute("b/l2", "mode")));
        cases.put(
                "rename",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/r");
                            fs.rename(ROOT, find("a"), name("r"), find("a"), name("r2"));
                        },
                        () -> attribute("a/r2", "mode")));
        cases.put(
                "rename to another directory",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/o");
                            fs.rename(ROOT, find("a"), name("o"), find("b"), name("o2"));
                        },
                        () -> attribute("b/o2", "mode")));
        cases.put(
                "rename into a directory",
                new Case(
                        () -> makeByHost("a/i"),
                        () -> {
                            makeDirectoryByHost("a/id");
                            fs.rename(ROOT, find("a"), name("i"), find("a/id"), name("i"));
                        },
                        () -> attribute("a/id/i", "mode")));
        cases.put(
                "rename of a directory",
                new Case(
                        nothing,
                        () -> {
                            makeDirectoryByHost("a/rd");
                            fs.rename(ROOT, find("a"), name("rd"), find("b"), name("rd"));
                        },
                        () -> attribute("b/rd", "mode")));
        cases.put(
                "rename of a symbolic link",
                new Case(
                        nothing,
                        () -> {
                            Path _ = Files.createSymbolicLink(path("a/s"), Path.of("target"));
                            fs.rename(ROOT, find("a"), name("s"), find("b"), name("s"));
                        },
                        () -> Files.readSymbolicLink(path("b/s"))));
        cases.put(
                "remove",
                new Case(
                        nothing,
                        () -> {
                            makeByHost("a/gone");
                            fs.remove(ROOT, find("a"), name("gone"));
                        },
                        () -> isThere("a/gone")));
        return cases;
    }
}
