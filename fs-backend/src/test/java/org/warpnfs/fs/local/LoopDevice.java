package org.warpnfs.fs.local;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;

/** A file system on a loop device whose power can be cut: what was not on the medium by then is lost. */
final class LoopDevice extends MountedImage {
    /** XFS takes no less than 300 MiB. Most of it is never written. */
    private static final long IMAGE_BYTES = 320L << 20;

    /** EXT4_IOC_SHUTDOWN. */
    private static final long SHUTDOWN = 0x8004587dL;

    private static final int SHUTDOWN_WITHOUT_FLUSH = 2;

    private final Path base;
    private int cuts;
    private boolean isChecked;

    private LoopDevice(Path base, String type) throws IOException {
        super(base, base.resolve("image"), type, "");
        this.base = base;
    }

    static LoopDevice ext4(Path base) throws IOException {
        return make(base, "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0");
    }

    /**
     * Makes a device with an ext4 that writes each change in its place, without a journal. It is checked after a cut.
     */
    static LoopDevice ext4WithoutJournal(Path base) throws IOException {
        LoopDevice device = make(base, "ext4", "-O", "^has_journal", "-E", "lazy_itable_init=0");
        device.isChecked = true;
        return device;
    }

    /** Makes a device with an ext4 whose journal takes small changes in a short form. */
    static LoopDevice ext4WithFastCommits(Path base) throws IOException {
        return make(base, "ext4", "-O", "fast_commit", "-E", "lazy_itable_init=0,lazy_journal_init=0");
    }

    /** Makes a device with an ext4 whose inodes have no room for parts of a second. */
    static LoopDevice ext4WithSmallInodes(Path base) throws IOException {
        return make(base, "ext4", "-I", "128", "-E", "lazy_itable_init=0,lazy_journal_init=0");
    }

    /** Makes a device with XFS. Skips the test, with the reason, where that is not possible. */
    static LoopDevice xfs(Path base) throws IOException {
        return make(base, "xfs");
    }

    /** Makes a device with btrfs. Skips the test, with the reason, where that is not possible. */
    static LoopDevice btrfs(Path base) throws IOException {
        return make(base, "btrfs");
    }

    private static LoopDevice make(Path base, String type, String... options) throws IOException {
        Mounts.assumePossible();
        Path program = Path.of("/sbin/mkfs." + type);
        if (!Files.isExecutable(program)) {
            System.err.println("no " + program + ": a test on such a file system is skipped");
        }
        Assumptions.assumeTrue(Files.isExecutable(program), "no " + program);
        LoopDevice device = new LoopDevice(base, type);
        try (RandomAccessFile file = new RandomAccessFile(device.image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        String[] command = new String[options.length + 3];
        command[0] = program.toString();
        command[1] = "-q";
        System.arraycopy(options, 0, command, 2, options.length);
        command[command.length - 1] = device.image.toString();
        Mounts.run(command);
        device.mount();
        return device;
    }

    /**
     * Cuts the power: what the medium has now is what {@linkplain Cut#restore restore} brings back. No file may be open
     * at the restore.
     */
    Cut cutPower() throws IOException {
        Path left = base.resolve("image" + ++cuts);
        Mounts.run("cp", "--sparse=always", "--reflink=never", image.toString(), left.toString());
        return () -> {
            unmount();
            image = left;
            if (isChecked) {
                // Exits with 1 where it has mended something.
                Mounts.run("sh", "-c", "e2fsck -fy \"$0\" || test $? = 1", image.toString());
            }
            mount();
        };
    }

    /**
     * Aborts the journal as an error of the medium would. The file system is read-only from now on, whatever is open.
     */
    void abort() throws IOException {
        Mounts.run("mount", "-o", "remount,abort", directory().toString());
    }

    /**
     * Shuts the file system down at once, as if the medium were gone: nothing more is read or written, and pending
     * writes are dropped.
     */
    void shutDown() throws Exception {
        byte[] path = directory().toString().getBytes(StandardCharsets.UTF_8);
        try (Fd root = OpenCalls.open(path, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
                Arena arena = Arena.ofConfined()) {
            String magic = new String(root.magicPath(), StandardCharsets.US_ASCII);
            int number = Integer.parseInt(magic.substring(magic.lastIndexOf('/') + 1));
            Linker linker = Linker.nativeLinker();
            MethodHandle ioctl = linker.downcallHandle(
                    linker.defaultLookup().findOrThrow("ioctl"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(2));
            MemorySegment flags = arena.allocateFrom(ValueLayout.JAVA_INT, SHUTDOWN_WITHOUT_FLUSH);
            int result;
            try {
                result = (int) ioctl.invokeExact(number, SHUTDOWN, flags);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
            if (result != 0) {
                throw new IOException("the file system cannot be shut down");
            }
        }
    }

    /** A power cut: what happens during it is lost. */
    interface Cut {
        /** Turns the power on again. */
        void restore() throws IOException;
    }
}
