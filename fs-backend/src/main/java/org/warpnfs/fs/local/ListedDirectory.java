package org.warpnfs.fs.local;

import java.util.List;
import org.warpnfs.fs.local.libc.DirectoryStream;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;

/**
 * A directory that is being listed: its descriptor, the position of which is behind the names that were read, and those
 * of them that the last reply had no room for. For one thread at a time.
 */
final class ListedDirectory implements AutoCloseable {
    private final Fd directory;
    private final DirectoryStream stream;
    private final Stillness stillness;
    private List<DirectoryStream.Entry> left = List.of();

    /**
     * Begins a listing.
     *
     * @param directory open for reading; closed with this
     * @param stillness since before the caller's permission was checked
     */
    ListedDirectory(Fd directory, Stillness stillness) {
        this.directory = directory;
        this.stream = new DirectoryStream(directory);
        this.stillness = stillness;
    }

    Fd directory() {
        return directory;
    }

    DirectoryStream stream() {
        return stream;
    }

    /** Whether the directory is as it was before it was opened. */
    Stillness stillness() {
        return stillness;
    }

    /** The next names: those that are left, or else what is read; empty at the end of the directory. */
    List<DirectoryStream.Entry> next(Listing.Calls calls, int wanted) throws ErrnoException {
        if (left.isEmpty()) {
            return calls.next(stream, wanted);
        }
        List<DirectoryStream.Entry> names = left;
        left = List.of();
        return names;
    }

    /** Gives back names that were not taken. They come next. */
    void leave(List<DirectoryStream.Entry> notTaken) {
        left = List.copyOf(notTaken);
    }

    /** Number of names that were read and not taken. */
    int namesLeft() {
        return left.size();
    }

    @Override
    public void close() {
        directory.close();
    }
}
