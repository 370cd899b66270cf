package org.warpnfs.server;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.warpnfs.server.config.ConfigException;

/**
 * Which format the contents of a state directory have, in a file of one line beside them: {@code warpnfs-state 1}. A
 * directory without it has format 1, whose servers wrote no such file at first. A change that an earlier server would
 * misread gets the next number.
 */
final class StateFormat {
    /** The file's name in the state directory. */
    static final String FILE_NAME = "format";

    /** The one that this server reads and writes. */
    static final int CURRENT = 1;

    private static final int MOST_BYTES = 64;
    private static final Pattern LINE = Pattern.compile("warpnfs-state ([1-9][0-9]{0,8})\n");

    private StateFormat() {}

    /**
     * Refuses a directory that a later server has written to, before anything in it is read or changed; else writes
     * down whose it is.
     *
     * @throws ConfigException naming the directory, its format, and what can be done
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
                    + " does not say which format the directory has; restore it, or give this server another "
                    + "--state DIR,"
                    + " which makes every client's file handles stale");
        }
        int format = Integer.parseInt(line.group(1));
        if (format > CURRENT) {
            throw new ConfigException(
                    "state directory " + directory + ": a later version of warpnfs made it, format " + format
                            + ", and this one knows formats up to " + CURRENT
                            + "; start the later version, or restore what was copied"
                            + " before the upgrade");
        }
    }

    private static void write(Path directory, Path file, DurableDirectories.Sync sync) throws IOException {
        Path fresh = directory.resolve(FILE_NAME + ".new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(fresh, "warpnfs-state " + CURRENT + "\n", StandardOpenOption.SYNC);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        sync.sync(directory);
    }
}
