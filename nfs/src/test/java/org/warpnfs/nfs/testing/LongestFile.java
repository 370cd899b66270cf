package org.warpnfs.nfs.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** The longest file that a directory's file system takes, so that a change can fail in its middle. */
public final class LongestFile {
    private static final long SURELY_TOO_LONG = 1L << 62;

    private LongestFile() {}

    /** Its length in bytes. Skips the test where files may be longer than a change can ask for. */
    public static long bytesIn(Path directory) throws IOException {
        long possible = 0;
        long tooLong = SURELY_TOO_LONG;
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("probe").toFile(), "rw")) {
            Assumptions.assumeFalse(takes(file, SURELY_TOO_LONG), "a file system with shorter files");
            while (possible + 1 < tooLong) {
                long middle = possible + (tooLong - possible) / 2;
                if (takes(file, middle)) {
                    possible = middle;
                } else {
                    tooLong = middle;
                }
            }
        }
        return possible;
    }

    private static boolean takes(RandomAccessFile file, long lengthBytes) {
        try {
            file.setLength(lengthBytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
