package org.warpnfs.example.zip;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.BackendEnvironment;
import org.warpnfs.fs.spi.BackendException;
import org.warpnfs.fs.spi.BackendOption;
import org.warpnfs.fs.spi.BackendProvider;
import org.warpnfs.fs.spi.FileSystem;

/** The backend {@code zip}. */
public final class ZipBackend implements BackendProvider {
    private static final BackendOption MAX_FILES =
            BackendOption.of("max-files", "The most files and directories that an archive may have.", "1000000");

    @Override
    public String name() {
        return "zip";
    }

    @Override
    public String about() {
        return "Serves the tree of the zip or jar file SOURCE, which cannot be changed.";
    }

    @Override
    public List<BackendOption> options() {
        return List.of(MAX_FILES);
    }

    @Override
    public FileSystem open(String source, Map<String, String> options, BackendEnvironment environment)
            throws BackendException {
        int maxFiles = maxFiles(options.getOrDefault(MAX_FILES.name(), ""));
        FileChannel file = null;
        try {
            file = FileChannel.open(Path.of(source), StandardOpenOption.READ);
            ZipTree tree = new ZipTree(maxFiles);
            CentralDirectory.read(file, tree);
            tree.logSkipped(LoggerFactory.getLogger(environment.logName()), source);
            return new ZipFileSystem(file, tree);
        } catch (NoSuchFileException e) {
            throw BackendException.ofSource(source + ": there is no such file", e);
        } catch (IOException e) {
            closeQuietly(file);
            throw BackendException.ofSource(source + ": " + e.getMessage(), e);
        }
    }

    private static void closeQuietly(@Nullable FileChannel file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // Nothing was written to it.
        }
    }

    private static int maxFiles(String text) throws BackendException {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The same answer as for 0.
        }
        throw BackendException.ofOption(MAX_FILES.name(), "is not a number from 1");
    }
}
