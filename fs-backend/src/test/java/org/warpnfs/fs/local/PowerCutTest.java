package org.warpnfs.fs.local;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclEntry;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.fs.spi.XattrMode;

/** Every change that was answered is there after a power cut right behind the answer. */
class PowerCutTest extends PowerCutFixture {
    private static final byte[] VALUE = "value".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] XATTR = "note".getBytes(StandardCharsets.US_ASCII);

    @Override
    Map<String, Case> cases() {
        Map<String, Case> cases = new LinkedHashMap<>();
        Change nothing = () -> {};
        cases.put("mkdir", new Case(nothing, () -> mkdir("m"), () -> isThere("m")));
        cases.put("create", new Case(nothing, () -> create("a", "c"), () -> attribute("a/c", "mode")));
        cases.put(
                "create with times",
                new Case(
                        nothing,
                        () -> fs.create(
                                ROOT,
                                find("a"),
                                FileName.of("ct"),
                                new CreateMode.Unchecked(new AttributeChanges(
                                        0600, 7L, 8L, 5000L, null, new TimeChange.To(new Timestamp(99, 0))))),
                        () -> attribute("a/ct", "uid") + " " + attribute("a/ct", "lastModifiedTime") + " "
                                + attribute("a/ct", "size")));
        cases.put(
                "exclusive create",
                new Case(
                        nothing,
                        () -> fs.create(ROOT, find("a"), FileName.of("x"), new CreateMode.Exclusive(77, MODE)),
                        () -> attribute("a/x", "mode") + " " + attribute("a/x", "lastAccessTime")));
        cases.put(
                "symlink",
                new Case(
                        nothing,
                        () -> fs.makeSymlink(ROOT, find("a"), FileName.of("s"), new byte[] {'t'}, MODE),
                        () -> Files.readSymbolicLink(path("a/s"))));
        cases.put(
                "fifo",
                new Case(
                        nothing,
                        () -> fs.makeSpecial(ROOT, find("a"), FileName.of("p"), FileType.FIFO, 0, 0, MODE),
                        () -> attribute("a/p", "mode")));
        cases.put(
                "link",
                new Case(
                        () -> create("a", "l"),
                        () -> fs.link(ROOT, find("a/l"), find("b"), FileName.of("l2")),
                        () -> isThere("b/l2") + " " + attribute("a/l", "nlink")));
        cases.put(
                "rename",
                new Case(
                        () -> create("a", "r"),
                        () -> fs.rename(ROOT, find("a"), FileName.of("r"), find("a"), FileName.of("r2")),
                        () -> isThere("a/r") + " " + isThere("a/r2")));
        cases.put(
                "rename to another directory, over a file",
                new Case(
                        () -> {
                            create("a", "o");
                            create("b", "o2");
                            write("a/o", LENGTH_BYTES, Stability.FILE_SYNC);
                        },
                        () -> fs.rename(ROOT, find("a"), FileName.of("o"), find("b"), FileName.of("o2")),
                        () -> isThere("a/o") + " " + contents("b/o2")));
        cases.put(
                "rename of a directory",
                new Case(
                        () -> fs.makeDirectory(ROOT, find("a"), FileName.of("d"), AttributeChanges.ofPermissions(0755)),
                        () -> fs.rename(ROOT, find("a"), FileName.of("d"), find("b"), FileName.of("d")),
                        () -> isThere("a/d") + " " + isThere("b/d")));
        cases.put(
                "remove",
                new Case(
                        () -> create("a", "gone"),
                        () -> fs.remove(ROOT, find("a"), FileName.of("gone")),
                        () -> isThere("a/gone")));
        cases.put(
                "remove of one of two names",
                new Case(
                        () -> fs.link(ROOT, create("a", "two"), find("b"), FileName.of("two")),
                        () -> fs.remove(ROOT, find("a"), FileName.of("two")),
                        () -> isThere("a/two") + " " + isThere("b/two")));
        cases.put(
                "rmdir",
                new Case(
                        () -> mkdir("e"),
                        () -> fs.removeDirectory(ROOT, fs.root(), FileName.of("e")),
                        () -> isThere("e")));
        cases.put(
                "permissions",
                new Case(
                        () -> create("a", "f"),
                        () -> set("a/f", AttributeChanges.ofPermissions(0600)),
                        () -> attribute("a/f", "mode")));
        cases.put(
                "permissions of a directory",
                new Case(nothing, () -> set("b", AttributeChanges.ofPermissions(0700)), () -> attribute("b", "mode")));
        cases.put(
                "owner of a symbolic link",
                new Case(
                        () -> fs.makeSymlink(ROOT, find("a"), FileName.of("so"), new byte[] {'t'}, MODE),
                        () -> set("a/so", new AttributeChanges(null, 5L, null, null, null, null)),
                        () -> attribute("a/so", "uid")));
        cases.put(
                "times",
                new Case(
                        nothing,
                        () -> set(
                                "a/f",
                                new AttributeChanges(
                                        null, null, null, null, null, new TimeChange.To(new Timestamp(1234, 0)))),
                        () -> attribute("a/f", "lastModifiedTime")));
        cases.put(
                "stable write",
                new Case(nothing, () -> write("a/f", LENGTH_BYTES, Stability.FILE_SYNC), () -> contents("a/f")));
        cases.put(
                "stable data",
                new Case(nothing, () -> write("a/f", 3 * LENGTH_BYTES, Stability.DATA_SYNC), () -> contents("a/f")));
        cases.put(
                "commit",
                new Case(
                        () -> create("b", "u"),
                        () -> {
                            write("b/u", LENGTH_BYTES, Stability.UNSTABLE);
                            try (OpenFile open = fs.open(ROOT, find("b/u"), OpenAccess.READ)) {
                                open.sync();
                            }
                        },
                        () -> contents("b/u")));
        cases.put("shorter", new Case(nothing, () -> set("a/f", AttributeChanges.ofSize(5001)), () -> contents("a/f")));
        cases.put(
                "longer after unstable data",
                new Case(
                        nothing,
                        () -> {
                            write("a/f", 5001, Stability.UNSTABLE);
                            set("a/f", AttributeChanges.ofSize(9000));
                        },
                        () -> attribute("a/f", "size")));
        cases.put("empty", new Case(nothing, () -> set("a/f", AttributeChanges.ofSize(0)), () -> contents("a/f")));
        cases.put(
                "allocate",
                new Case(
                        nothing,
                        () -> {
                            try (OpenFile open = fs.open(ROOT, find("a/f"), OpenAccess.WRITE)) {
                                open.allocate(0, LENGTH_BYTES);
                            }
                        },
                        () -> contents("a/f")));
        cases.put(
                "deallocate",
                new Case(
                        () -> write("a/f", LENGTH_BYTES, Stability.FILE_SYNC),
                        () -> {
                            try (OpenFile open = fs.open(ROOT, find("a/f"), OpenAccess.WRITE)) {
                                open.deallocate(100, 9000);
                            }
                        },
                        () -> contents("a/f")));
        cases.put(
                "attribute of the user",
                new Case(
                        nothing,
                        () -> fs.setXattr(ROOT, find("a/f"), XATTR, VALUE, XattrMode.EITHER),
                        () -> new String(
                                (byte[]) Files.getAttribute(path("a/f"), "user:note"), StandardCharsets.US_ASCII)));
        cases.put(
                "access control list",
                new Case(
                        nothing,
                        () -> {
                            if (fs.limits().has(Capability.ACLS)) {
                                PosixAcl acl = PosixAcl.of(List.of(
                                        new AclEntry.UserObj(4),
                                        new AclEntry.User(1000, 6),
                                        new AclEntry.GroupObj(0),
                                        new AclEntry.Mask(6),
                                        new AclEntry.Other(0)));
                                fs.setAcls(ROOT, find("a/f"), AclChanges.ofAccess(acl));
                            }
                        },
                        () -> attribute("a/f", "mode")));
        return cases;
    }
}
