package org.warpnfs.example.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.BackendEnvironment;
import org.warpnfs.fs.spi.BackendException;
import org.warpnfs.fs.spi.BackendOption;
import org.warpnfs.fs.spi.BackendProvider;
import org.warpnfs.fs.spi.FileSystem;

/** The backend {@code log}. */
public final class LogBackend implements BackendProvider {
    private static final BackendOption SIZE =
            BackendOption.of("size-mib", "The most that the files may take in memory, in MiB.", "256");

    @Override
    public String name() {
        return "log";
    }

    @Override
    public String about() {
        return "Keeps files in memory and a log of all changes in the directory SOURCE.";
    }

    @Override
    public List<BackendOption> options() {
        return List.of(SIZE);
    }

    @Override
    public FileSystem open(String source, Map<String, String> options, BackendEnvironment environment)
            throws BackendException {
        long sizeBytes = sizeBytes(options.getOrDefault(SIZE.name(), ""));
        Path directory = Path.of(source);
        if (!Files.isDirectory(directory)) {
            throw BackendException.ofSource(source + ": is no directory");
        }
        try {
            return LogFileSystem.open(
                    directory, sizeBytes, file -> file.force(false), LoggerFactory.getLogger(environment.logName()));
        } catch (IOException e) {
            throw BackendException.ofSource(source + ": " + e.getMessage(), e);
        }
    }

    private static long sizeBytes(String text) throws BackendException {
        try {
            int mib = Integer.parseInt(text);
            if (mib > 0) {
                return (long) mib << 20;
            }
        } catch (NumberFormatException e) {
            // The same answer as for 0.
        }
        throw BackendException.ofOption(SIZE.name(), "is not a number of MiB from 1");
    }
}
