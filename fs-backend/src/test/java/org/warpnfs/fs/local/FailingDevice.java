package org.warpnfs.fs.local;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/**
 * An ext4 file system on a loop device that really fails: its image is a sparse file on a small tmpfs. The blocks that
 * the file system itself needs are allocated from the start. While the tmpfs is full, a write to any other block fails
 * on the device. The kernel then drops the page and reports the error as for any medium that fails.
 */
final class FailingDevice extends MountedImage {
    private static final long IMAGE_BYTES = 48 << 20;
    private static final int BLOCK_BYTES = 4096;
    private static final Pattern FREE = Pattern.compile("^ +Free blocks: (.*)$", Pattern.MULTILINE);
    private static final Pattern RANGE = Pattern.compile("(\\d+)(?:-(\\d+))?");

    private final Path store;
    private boolean storeMounted;

    private FailingDevice(Path base, Path store) throws IOException {
        super(base, store.resolve("image"), "ext4", "errors=continue");
        this.store = store;
    }

    /**
     * Makes a device. On a machine without root or loop devices the test is skipped with the reason; if a program is
     * missing, it fails.
     */
    static FailingDevice make(Path base) throws IOException {
        boolean possible = LocalBackend.IS_ROOT && Files.exists(Path.of("/dev/loop-control"));
        if (!possible) {
            System.err.println("not root, or no loop devices: nothing is tested on a device that fails");
        }
        Assumptions.assumeTrue(possible, "only root makes devices, and only where the kernel has loop devices");
        FailingDevice device = new FailingDevice(base, Files.createDirectory(base.resolve("store")));
        try {
            device.build();
        } catch (IOException e) {
            device.close();
            throw new IOException("a device that fails is made by mount, mkfs.ext4 and dumpe2fs (e2fsprogs)", e);
        }
        return device;
    }

    private void build() throws IOException {
        Mounts.run("mount", "-t", "tmpfs", "-o", "size=" + (IMAGE_BYTES + (4 << 20)), "none", store.toString());
        storeMounted = true;
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        Mounts.run(
                "mkfs.ext4",
                "-q",
                "-F",
                "-b",
                "" + BLOCK_BYTES,
                "-J",
                "size=4",
                "-E",
                "lazy_itable_init=0,lazy_journal_init=0,nodiscard",
                image.toString());
        occupyWhatIsUsed();
        mount();
    }

    /** Rewrites all blocks that are in use, so that the tmpfs has pages for them. */
    private void occupyWhatIsUsed() throws IOException {
        Process process = new ProcessBuilder(List.of("dumpe2fs", image.toString()))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean[] free = new boolean[(int) (IMAGE_BYTES / BLOCK_BYTES)];
        Matcher lines = FREE.matcher(said);
        while (lines.find()) {
            Matcher ranges = RANGE.matcher(lines.group(1));
            while (ranges.find()) {
                int first = Integer.parseInt(ranges.group(1));
                int last = ranges.group(2) == null ? first : Integer.parseInt(ranges.group(2));
                Arrays.fill(free, first, last + 1, true);
            }
        }
        byte[] block = new byte[BLOCK_BYTES];
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            for (int number = 0; number < free.length; number++) {
                if (!free[number]) {
                    file.seek((long) number * BLOCK_BYTES);
                    file.readFully(block);
                    file.seek((long) number * BLOCK_BYTES);
                    file.write(block);
                }
            }
        }
    }

    /** Makes writes to blocks that were not written before fail. */
    void fail() throws IOException {
        byte[] page = new byte[BLOCK_BYTES];
        try (RandomAccessFile ballast = new RandomAccessFile(ballast().toFile(), "rw")) {
            ballast.seek(ballast.length());
            while (true) {
                ballast.write(page);
            }
        } catch (IOException full) {
            if (!String.valueOf(full.getMessage()).contains("No space left")) {
                throw full;
            }
        }
    }

    private Path ballast() {
        return store.resolve("ballast");
    }

    /** Makes all writes succeed again. */
    void heal() throws IOException {
        Files.deleteIfExists(ballast());
    }

    void remountReadOnly() throws IOException {
        Mounts.run("mount", "-o", "remount,ro", directory().toString());
    }

    @Override
    public void close() throws IOException {
        super.close();
        if (storeMounted) {
            // The kernel releases the loop device a moment after the file system is unmounted.
            Mounts.run("umount", "-l", store.toString());
        }
    }
}
