package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.warpnfs.tools.bench.BenchException;

/**
 * The directory whose listing is measured. It is made on the host, without a server, once for each file system and when
 * it is first needed. It disappears with the file system.
 */
final class ManyNames {
    static final String DIRECTORY = "many";
    static final int NAMES = 100_000;

    private final Set<Path> made = new HashSet<>();

    /** Makes the directory in an exported tree unless it is there. */
    void require(Path tree) throws BenchException {
        if (!made.add(tree)) {
            return;
        }
        try {
            Path directory = Files.createDirectory(tree.resolve(DIRECTORY));
            for (int i = 0; i < NAMES; i++) {
                Files.createFile(directory.resolve(String.format(Locale.ROOT, "file-%06d", i)));
            }
        } catch (IOException e) {
            throw new BenchException("the names of a listing cannot be made: " + e, e);
        }
    }
}
