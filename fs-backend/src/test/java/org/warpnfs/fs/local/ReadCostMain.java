package org.warpnfs.fs.local;

import static org.warpnfs.fs.local.ShortCalls.newFile;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * Measures the cost of a read, compared with FileChannel. Not a test: run it by hand, with a directory as argument.
 *
 * <p>Prints nanoseconds per call, best of several rounds.
 */
final class ReadCostMain {
    private static final int FILE_BYTES = 64 << 20;
    private static final int ROUNDS = 7;

    private ReadCostMain() {}

    private interface Read {
        void at(ByteBuffer sink, long offset) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        Path base = Files.createTempDirectory(Path.of(arguments[0]), "warpnfs-cost");
        Path file = base.resolve("data");
        Caller user = new Caller(1000, 1000, List.of(1L, 2L));
        try (LocalFileSystem local = LocalFileSystem.open(base, LocalOptions.DEFAULTS);
                MemoryFileSystem memory = new MemoryFileSystem(2L * FILE_BYTES, 10)) {
            FileHandle localFile = fill(local);
            FileHandle memoryFile = fill(memory);
            try (FileChannel channel = FileChannel.open(file);
                    OpenFile open = local.open(Caller.ROOT, localFile, OpenAccess.READ);
                    OpenFile inMemory = memory.open(Caller.ROOT, memoryFile, OpenAccess.READ)) {
                for (int size : new int[] {4096, 65_536, 1 << 20}) {
                    double byChannel = cost(size, channel::read);
                    double byLocal = cost(size, open::read);
                    double byMemory = cost(size, inMemory::read);
                    double opened = cost(size, (sink, offset) -> {
                        try (OpenFile each = local.open(user, localFile, OpenAccess.READ)) {
                            each.read(sink, offset);
                        }
                    });
                    System.out.printf(
                            Locale.ROOT,
                            "%8d bytes: FileChannel %.0f ns, local %.0f ns (ratio %.2f), with open and close as a user"
                                    + " %.0f ns, memory %.0f ns%n",
                            size,
                            byChannel,
                            byLocal,
                            byLocal / byChannel,
                            opened,
                            byMemory);
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "attributes %.0f ns, lookup as a user %.0f ns%n",
                    cost(1, (sink, offset) -> local.attributes(localFile)),
                    cost(1, (sink, offset) -> local.lookup(user, local.root(), FileName.of("data"))));
        } finally {
            Files.delete(file);
            Files.delete(base);
        }
    }

    private static FileHandle fill(FileSystem fs) throws Exception {
        fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0755));
        FileHandle handle = newFile(fs, fs.root(), "data");
        try (OpenFile open = fs.open(Caller.ROOT, handle, OpenAccess.WRITE)) {
            open.write(ByteBuffer.allocateDirect(FILE_BYTES), 0, Stability.UNSTABLE);
        }
        return handle;
    }

    private static double cost(int size, Read read) throws Exception {
        ByteBuffer sink = ByteBuffer.allocateDirect(size);
        int calls = Math.max(2000, 200_000_000 / Math.max(size, 1000));
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                read.at(sink.clear(), (long) i * size % FILE_BYTES);
            }
            best = Math.min(best, (System.nanoTime() - start) / (double) calls);
        }
        return best;
    }
}
