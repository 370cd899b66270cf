package org.warpnfs.server;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.stable.StableFiles;

/**
 * The format of a state directory, recorded in a file of one line: {@code warpnfs-state 1}. A directory without this
 * file has format 1, since early servers did not write it. A change that an earlier server would misread increases the
 * number.
 */
final class StateFormat {
    /** The file's name in the state directory. */
    static final String FILE_NAME = "format";

    /** The format that this server reads and writes. */
    static final int CURRENT = 1;

    private static final int MOST_BYTES = 64;
    private static final Pattern LINE = Pattern.compile("warpnfs-state ([1-9][0-9]{0,8})\n");

    private StateFormat() {}

    /**
     * Refuses a directory that a later version has written, before anything in it is read or changed; otherwise records
     * the format.
     *
     * @throws ConfigException if the directory is refused; it names the directory, its format, and what to do
     */
    static void check(Path directory, DurableDirectories.Sync sync) throws ConfigException, IOException {
        Path file = directory.resolve(FILE_NAME);
        String text;
        try {
            text = Files.size(file) > MOST_BYTES ? "" : Files.readString(file);
        } catch (NoSuchFileException e) {
            write(directory, file, sync);
            return;
        } catch (CharacterCodingException e) {
            text = "";
        }
        Matcher line = LINE.matcher(text);
        if (!line.matches()) {
            throw new ConfigException("state directory " + directory + ": " + file
                    + " does not name the directory's format; restore it, or give this server another "
                    + "--state DIR,"
                    + " which makes every client's file handles stale");
        }
        int format = Integer.parseInt(line.group(1));
        if (format > CURRENT) {
            throw new ConfigException(
                    "state directory " + directory + ": a later version of warpnfs wrote it, in format " + format
                            + ", and this version supports formats up to " + CURRENT
                            + "; start the later version, or restore the copy from before the upgrade");
        }
    }

    private static void write(Path directory, Path file, DurableDirectories.Sync sync) throws IOException {
        StableFiles.replace(file, ("warpnfs-state " + CURRENT + "\n").getBytes(StandardCharsets.US_ASCII));
        sync.sync(directory);
    }
}
