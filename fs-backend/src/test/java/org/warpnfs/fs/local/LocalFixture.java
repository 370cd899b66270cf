package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/** A local file system, which a subclass opens and which is closed after the test, and short methods for long calls. */
abstract class LocalFixture {
    @TempDir
    Path base;

    LocalFileSystem fs;

    @AfterEach
    void stop() throws IOException {
        if (fs != null) {
            fs.close();
        }
    }

    static void assertFails(FsError expected, ThrowingCallable call) {
        ShortCalls.assertFails(expected, call);
    }

    /** Makes a file in the root. */
    FileHandle create(String name) throws FsException {
        return create(fs.root(), name);
    }

    FileHandle create(FileHandle directory, String name) throws FsException {
        return ShortCalls.newFile(fs, directory, name);
    }

    FileHandle lookup(FileHandle directory, String name) throws FsException {
        return fs.lookup(Caller.ROOT, directory, FileName.of(name)).handle();
    }

    OpenFile openToWrite(FileHandle file) throws FsException {
        return fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE);
    }
}
