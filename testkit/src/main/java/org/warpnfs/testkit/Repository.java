package org.warpnfs.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the repository that contains the working directory, whichever module's tests run. */
public final class Repository {
    private Repository() {}

    /** The top directory of the repository. */
    public static Path top() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("docs").resolve("conformance"))) {
                return at;
            }
        }
        throw new IllegalStateException("no docs/conformance above the working directory");
    }
}
