package org.warpnfs.server.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;

/** Files for the results of measurements that take long. */
final class OutputFile {
    private OutputFile() {}

    /**
     * Makes sure, before hours are spent, that a file can be written. Nothing changes.
     *
     * @param option what named the file
     * @param file null if the option was not given
     */
    static void requireWritable(String option, @Nullable Path file) throws ConfigException {
        if (file == null) {
            return;
        }
        boolean isThere = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        try {
            Files.newByteChannel(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE)
                    .close();
            if (!isThere) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new ConfigException(option + " " + file + ": cannot be written", e);
        }
    }
}
