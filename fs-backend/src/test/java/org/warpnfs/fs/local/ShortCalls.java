package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.google.common.base.Splitter;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** What tests often do with a file system, in fewer words. */
final class ShortCalls {
    private ShortCalls() {}

    /** Makes a file that was not there before. */
    static FileHandle newFile(FileSystem fs, Caller caller, FileHandle directory, String name, int permissions)
            throws FsException {
        return fs.create(
                        caller,
                        directory,
                        FileName.of(name),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(permissions)))
                .node()
                .handle();
    }

    /** Makes a file of root, with permissions 0644, that was not there before. */
    static FileHandle newFile(FileSystem fs, FileHandle directory, String name) throws FsException {
        return newFile(fs, Caller.ROOT, directory, name, 0644);
    }

    /** Looks up a path, whose names are separated by slashes, from the root of the file system, as root. */
    static FileHandle walk(FileSystem fs, String path) throws FsException {
        FileHandle at = fs.root();
        for (String name : Splitter.on('/').split(path)) {
            at = fs.lookup(Caller.ROOT, at, FileName.of(name)).handle();
        }
        return at;
    }

    static void assertFails(FsError expected, ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(FsException.class))
                .extracting(FsException::error)
                .isEqualTo(expected);
    }

    /** Runs a call and returns its error, or null if it succeeds. */
    static FsError outcomeOf(Call call) {
        try {
            call.run();
            return null;
        } catch (FsException e) {
            return e.error();
        }
    }

    interface Call {
        void run() throws FsException;
    }
}
