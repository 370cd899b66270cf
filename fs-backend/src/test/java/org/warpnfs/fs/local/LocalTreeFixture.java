package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** A local file system on a fresh directory, and short methods for long calls. */
abstract class LocalTreeFixture {
    static final Caller USER = new Caller(1000, 1000, List.of());
    static final LocalOptions UNPRIVILEGED = LocalOptions.DEFAULTS.withoutPrivileges();

    @TempDir
    Path base;

    Path tree;

    LocalFileSystem fs;

    @BeforeEach
    void start() throws Exception {
        tree = Files.createDirectory(base.resolve("tree"));
        fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS);
    }

    @AfterEach
    void stop() {
        fs.close();
    }

    void restart(LocalOptions options) throws IOException {
        fs.close();
        fs = LocalFileSystem.open(tree, options);
    }

    static void assertFails(FsError expected, ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(FsException.class))
                .extracting(FsException::error)
                .isEqualTo(expected);
    }

    FileHandle create(FileHandle directory, String name) throws FsException {
        return fs.create(
                        Caller.ROOT,
                        directory,
                        FileName.of(name),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(0644)))
                .node()
                .handle();
    }

    FileHandle lookup(FileHandle directory, String name) throws FsException {
        return fs.lookup(Caller.ROOT, directory, FileName.of(name)).handle();
    }
}
