package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.warpnfs.fs.spi.Caller;

/** A local file system on a fresh directory. */
abstract class LocalTreeFixture extends LocalFixture {
    static final Caller USER = new Caller(1000, 1000, List.of());
    static final LocalOptions UNPRIVILEGED = LocalOptions.DEFAULTS.withoutPrivileges();

    Path tree;

    @BeforeEach
    void start() throws Exception {
        tree = Files.createDirectory(base.resolve("tree"));
        fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS);
    }

    void restart(LocalOptions options) throws IOException {
        fs.close();
        fs = LocalFileSystem.open(tree, options);
    }
}
