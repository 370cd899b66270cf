package org.warpnfs.fs.local;

import static org.warpnfs.fs.local.ChildChecks.check;
import static org.warpnfs.fs.local.ShortCalls.newFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.fs.spi.XattrMode;

/** Main class of a process that has faults.c loaded before libc. Its exit status says whether all checks passed. */
final class FaultAtAnyPoint {
    private static final int BTRFS = 0x9123_683e;
    private static final int PERSISTENT = 1000;
    /** Numbers of calls in faults.c. */
    private static final Set<Integer> SYNCS = Set.of(12, 13, 14);

    private static final int CHMOD = 4;
    private static final int PWRITE = 8;
    private static final Set<Integer> CONTENTS = Set.of(PWRITE, 9, 10, 11);

    private final LocalFileSystem fs;
    private final Path tree;
    private final MappedByteBuffer control;
    private int files;
    private int faults;

    private FaultAtAnyPoint(LocalFileSystem fs, Path tree, MappedByteBuffer control) {
        this.fs = fs;
        this.tree = tree;
        this.control = control;
    }

    public static void main(String[] arguments) throws Exception {
        Path tree = Path.of(arguments[1]);
        LocalOptions options = arguments[0].equals("table")
                ? LocalOptions.DEFAULTS.withoutPrivileges().withStateDirectory(Path.of(arguments[2]))
                : LocalOptions.DEFAULTS;
        MappedByteBuffer control;
        try (FileChannel file = FileChannel.open(
                Path.of(System.getenv("WARPNFS_FAULTS")), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            control = file.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
        }
        control.order(ByteOrder.nativeOrder()).putInt(0, -1);
        if (arguments[0].equals("unordered")) {
            control.putInt(4 * 5, BTRFS);
        }
        try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
            FaultAtAnyPoint test = new FaultAtAnyPoint(fs, tree, control);
            test.all();
            check(test.faults > 500, "too few faults: is faults.c loaded? " + test.faults);
            System.out.println(test.faults + " faults. ALL CHECKS PASSED");
        }
    }

    private void all() throws Exception {
        CreateMode guarded = new CreateMode.Guarded(new AttributeChanges(0640, null, null, 100L, null, null));
        any("create", (d, f) -> fs.create(Caller.ROOT, d, FileName.of("new"), guarded));
        any(
                "create exclusively",
                (d, f) -> fs.create(
                        Caller.ROOT, d, FileName.of("new"), new CreateMode.Exclusive(7, AttributeChanges.NONE)));
        any(
                "truncate by create",
                (d, f) -> fs.create(
                        Caller.ROOT, d, FileName.of("f"), new CreateMode.Unchecked(AttributeChanges.ofSize(0))));
        any(
                "mkdir",
                (d, f) -> fs.makeDirectory(Caller.ROOT, d, FileName.of("new"), AttributeChanges.ofPermissions(0777)));
        any(
                "symlink",
                (d, f) -> fs.makeSymlink(Caller.ROOT, d, FileName.of("new"), new byte[] {'x'}, AttributeChanges.NONE));
        any(
                "mkfifo",
                (d, f) -> fs.makeSpecial(
                        Caller.ROOT, d, FileName.of("new"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0666)));
        any("link", (d, f) -> fs.link(Caller.ROOT, f, d, FileName.of("new")));
        any("remove", (d, f) -> fs.remove(Caller.ROOT, d, FileName.of("f")));
        any("rmdir", (d, f) -> fs.removeDirectory(Caller.ROOT, d, FileName.of("sub")));
        any("rename", (d, f) -> fs.rename(Caller.ROOT, d, FileName.of("f"), d, FileName.of("other")));
        any("rename to another directory", (d, f) -> {
            FileHandle sub = fs.lookup(Caller.ROOT, d, FileName.of("sub")).handle();
            fs.rename(Caller.ROOT, d, FileName.of("f"), sub, FileName.of("new"));
        });
        TimeChange time = new TimeChange.To(new Timestamp(1_000_000, 0));
        any(
                "setattr",
                (d, f) -> fs.setAttributes(Caller.ROOT, f, new AttributeChanges(0600, null, 1L, 5L, time, time)));
        any("setxattr", (d, f) -> fs.setXattr(Caller.ROOT, f, new byte[] {'a'}, new byte[] {1}, XattrMode.EITHER));
        for (Stability stability : Stability.values()) {
            any("write " + stability, (d, f) -> {
                try (OpenFile open = fs.open(Caller.ROOT, f, OpenAccess.WRITE)) {
                    open.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 2, stability);
                }
            });
        }
        any("commit", (d, f) -> {
            try (OpenFile open = fs.open(Caller.ROOT, f, OpenAccess.WRITE)) {
                open.sync();
            }
        });
        any("allocate", (d, f) -> {
            try (OpenFile open = fs.open(Caller.ROOT, f, OpenAccess.WRITE)) {
                open.allocate(0, 100_000);
            }
        });
        any("deallocate", (d, f) -> {
            try (OpenFile open = fs.open(Caller.ROOT, f, OpenAccess.WRITE)) {
                open.deallocate(0, 3);
            }
        });
    }

    private void any(String name, Operation operation) throws Exception {
        for (int errno : new int[] {Errno.EMFILE, Errno.ENOMEM, Errno.EIO, Errno.ENOSPC}) {
            for (int times : new int[] {1, PERSISTENT}) {
                int before = 0;
                while (failAfter(name, operation, before, errno, times)) {
                    before++;
                    check(before < 500, name + " makes too many calls");
                }
            }
        }
    }

    /**
     * Lets a call of the operation fail after {@code before} calls. Returns false if the operation makes no more calls
     * than that, and so succeeded.
     */
    private boolean failAfter(String name, Operation operation, int before, int errno, int times) throws Exception {
        String directoryName = "d" + files++;
        FileHandle directory = fs.makeDirectory(
                        Caller.ROOT, fs.root(), FileName.of(directoryName), AttributeChanges.ofPermissions(0755))
                .handle();
        FileHandle file = make(directory, "f");
        make(directory, "other");
        fs.makeDirectory(Caller.ROOT, directory, FileName.of("sub"), AttributeChanges.ofPermissions(0755));
        Path path = tree.resolve(directoryName);
        Map<String, String> state = state(path);
        long verifier = fs.writeVerifier();

        control.putInt(4, errno);
        control.putInt(8, times);
        control.putInt(12, 0);
        control.putInt(0, before);
        FsError error = null;
        try {
            operation.run(directory, file);
        } catch (FsException e) {
            error = e.error();
        } finally {
            control.putInt(0, -1);
        }
        int hits = control.getInt(12);
        int last = control.getInt(16);
        String what = name + " with errno " + errno + " x " + times + " after " + before + " calls, the last in call "
                + last + ": " + error;
        boolean changed = !state(path).equals(state);
        if (hits == 0) {
            check(error == null, what);
            check(changed || name.equals("commit"), what + " did nothing");
            check(fs.writeVerifier() == verifier, what + " moved the verifier");
            return false;
        }
        faults++;
        check(!(changed && error == FsError.TRY_LATER), what + ", but something has changed");
        boolean moved = fs.writeVerifier() != verifier;
        if (SYNCS.contains(last) && times == 1) {
            check(
                    moved && error != null && error != FsError.TRY_LATER,
                    what + ": a sync failed, verifier moved: " + moved);
        } else if (times == 1 && last != CHMOD && !(CONTENTS.contains(last) && errno == Errno.EIO)) {
            check(!moved, what + " moved the verifier");
        }
        return true;
    }

    private FileHandle make(FileHandle directory, String name) throws FsException {
        FileHandle file = newFile(fs, directory, name);
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(name.repeat(100).getBytes(StandardCharsets.UTF_8)), 0, Stability.FILE_SYNC);
        }
        return file;
    }

    /** Everything that a client could see of the contents of a directory. */
    private static Map<String, String> state(Path directory) throws IOException {
        Map<String, String> state = new TreeMap<>();
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.toList();
        }
        for (Path path : all) {
            if (path.equals(directory)) {
                continue;
            }
            Map<String, Object> attributes = new TreeMap<>(Files.readAttributes(
                    path, "unix:ino,mode,nlink,uid,gid,size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS));
            boolean regular = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
            String contents = regular ? Arrays.toString(Files.readAllBytes(path)) : "";
            String extended = !regular && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) ? "" : extended(path);
            if (!regular) {
                attributes.remove("lastModifiedTime");
            }
            state.put(directory.relativize(path).toString(), attributes + contents + extended);
        }
        return state;
    }

    private static String extended(Path path) throws IOException {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
        try {
            return view == null ? "" : view.list().toString();
        } catch (IOException e) {
            return "";
        }
    }

    private interface Operation {
        void run(FileHandle directory, FileHandle file) throws FsException;
    }
}
