package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.newFile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.AclEntry;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.testkit.Seeds;

/** Compares this project's own handling of access control lists with the kernel's. */
class AclByTheKernelTest {
    private static final LocalOptions UNPRIVILEGED = LocalOptions.DEFAULTS.withoutPrivileges();

    @TempDir
    Path base;

    @BeforeEach
    void requireRootAndLists() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "callers' identities are needed");
        try (FileSystem fs = LocalFileSystem.open(base, LocalOptions.DEFAULTS)) {
            Assumptions.assumeTrue(fs.limits().has(Capability.ACLS), "no access control lists on " + base);
        }
    }

    @Test
    void setAcls_onTheHost_isTheAttributeThatTheKernelDefines() throws Exception {
        try (FileSystem fs = LocalFileSystem.open(base, LocalOptions.DEFAULTS)) {
            FileHandle file = newFile(fs, Caller.ROOT, fs.root(), "f", 0600);

            fs.setAcls(
                    Caller.ROOT,
                    file,
                    AclChanges.ofAccess(PosixAcl.of(List.of(
                            new AclEntry.UserObj(6),
                            new AclEntry.User(0xdeadbeefL, 5),
                            new AclEntry.GroupObj(4),
                            new AclEntry.Group(1000, 7),
                            new AclEntry.Mask(3),
                            new AclEntry.Other(0)))));

            // struct posix_acl_xattr_header and _entry, written by hand
            assertThat(HexFormat.ofDelimiter(" ").formatHex(xattr("f", "system.posix_acl_access")))
                    .isEqualTo("02 00 00 00 01 00 06 00 ff ff ff ff 02 00 05 00 ef be ad de 04 00 04 00 ff ff ff ff"
                            + " 08 00 07 00 e8 03 00 00 10 00 03 00 ff ff ff ff 20 00 00 00 ff ff ff ff");
        }
    }

    private byte[] xattr(String name, String attribute) throws ErrnoException {
        try (Fd fd =
                OpenCalls.open(base.resolve(name).toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY)) {
            return XattrCalls.get(fd, attribute.getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Test
    void permissions_ofRandomLists_areJudgedAsByTheKernel() {
        Seeds.each(20, seed -> {
            Random random = new Random(seed);
            List<PosixAcl> lists = new ArrayList<>();
            List<Caller> callers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                PosixAcl acl = randomAcl(random);
                // Linux ignores a list whose mask is empty (acl_permission_check), so named users get what others get.
                // By acl(5) they get nothing, and so they do in this project.
                lists.add((acl.permissionBits() & 070) == 0 ? PosixAcl.ofPermissions(acl.permissionBits()) : acl);
                callers.add(new Caller(random.nextInt(5), random.nextInt(5), List.of((long) random.nextInt(5))));
            }
            List<String> byTheKernel = verdicts(LocalOptions.DEFAULTS, lists, callers);
            assertThat(verdicts(UNPRIVILEGED, lists, callers)).isEqualTo(byTheKernel);
        });
    }

    private List<String> verdicts(LocalOptions options, List<PosixAcl> lists, List<Caller> callers) throws Exception {
        List<String> verdicts = new ArrayList<>();
        try (FileSystem fs = LocalFileSystem.open(base, options)) {
            FileHandle file = newFile(fs, Caller.ROOT, fs.root(), "f", 0600);
            for (PosixAcl list : lists) {
                fs.setAcls(Caller.ROOT, file, AclChanges.ofAccess(list));
                for (Caller caller : callers) {
                    verdicts.add(list + " for " + caller + ": "
                            + fs.permissions(caller, file, EnumSet.allOf(Permission.class))
                            + opens(fs, caller, file));
                }
            }
            fs.remove(Caller.ROOT, fs.root(), FileName.of("f"));
        }
        return verdicts;
    }

    private static List<OpenAccess> opens(FileSystem fs, Caller caller, FileHandle file) {
        List<OpenAccess> opens = new ArrayList<>();
        for (OpenAccess access : OpenAccess.values()) {
            try {
                fs.open(caller, file, access).close();
                opens.add(access);
            } catch (FsException e) {
                // This one may not.
            }
        }
        return opens;
    }

    @Test
    void changes_atRandom_leaveInMemoryWhatTheyLeaveOnDisk() {
        Seeds.each(30, seed -> {
            String top = "top" + seed;
            try (FileSystem local = LocalFileSystem.open(base, LocalOptions.DEFAULTS);
                    FileSystem memory = new MemoryFileSystem(1 << 26, 10_000)) {
                List<String> onDisk = story(local, top, new Random(seed));
                assertThat(story(memory, top, new Random(seed))).isEqualTo(onDisk);
            }
        });
    }

    /** Changes a directory and new files in it at random. Returns the state after each step. */
    private static List<String> story(FileSystem fs, String top, Random random) throws Exception {
        List<String> told = new ArrayList<>();
        List<FileHandle> directories = new ArrayList<>();
        List<FileHandle> all = new ArrayList<>();
        directories.add(fs.makeDirectory(Caller.ROOT, fs.root(), FileName.of(top), AttributeChanges.ofPermissions(0755))
                .handle());
        all.add(directories.getFirst());
        for (int step = 0; step < 60; step++) {
            FileHandle directory = directories.get(random.nextInt(directories.size()));
            FileHandle any = all.get(random.nextInt(all.size()));
            FileName name = FileName.of("n" + step);
            AttributeChanges mode = AttributeChanges.ofPermissions(random.nextInt(010000));
            Caller caller = new Caller(random.nextInt(3), random.nextInt(3), List.of());
            Change access = randomChange(random);
            Change inherited = randomChange(random);
            FileHandle touched = any;
            try {
                switch (random.nextInt(4)) {
                    case 0 -> {
                        touched = fs.create(Caller.ROOT, directory, name, new CreateMode.Guarded(mode))
                                .node()
                                .handle();
                        all.add(touched);
                    }
                    case 1 -> {
                        touched = fs.makeDirectory(Caller.ROOT, directory, name, mode)
                                .handle();
                        all.add(touched);
                        directories.add(touched);
                    }
                    case 2 -> fs.setAttributes(caller, any, mode);
                    default -> fs.setAcls(caller, any, new AclChanges(access, inherited));
                }
                told.add(step + " "
                        + Integer.toOctalString(fs.attributes(touched).permissions()) + " " + fs.acls(touched));
            } catch (FsException e) {
                told.add(step + " " + e.error());
            }
        }
        return told;
    }

    private static Change randomChange(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> Change.KEEP;
            case 1 -> Change.REMOVE;
            default -> new Change.Replace(randomAcl(random));
        };
    }

    private static PosixAcl randomAcl(Random random) {
        SortedMap<Long, Integer> users = randomNames(random);
        SortedMap<Long, Integer> groups = randomNames(random);
        boolean masked = !users.isEmpty() || !groups.isEmpty() || random.nextBoolean();
        return new PosixAcl(
                random.nextInt(8),
                users,
                random.nextInt(8),
                groups,
                masked ? (Integer) random.nextInt(8) : null,
                random.nextInt(8));
    }

    private static SortedMap<Long, Integer> randomNames(Random random) {
        SortedMap<Long, Integer> names = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            names.put((long) random.nextInt(5), random.nextInt(8));
        }
        return names;
    }
}
