package org.warpnfs.example.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;
import org.warpnfs.fs.spi.BackendEnvironment;
import org.warpnfs.fs.spi.FileSystem;

/** The backend {@code log} fulfils the contract. */
class LogContractTest extends BackendContract {
    @Override
    protected Backend backend() throws IOException {
        Path directory = Files.createTempDirectory("warpnfs-log");
        return new Backend() {
            @Override
            public FileSystem start() throws Exception {
                return new LogBackend()
                        .open(
                                directory.toString(),
                                Map.of("size-mib", "64"),
                                new BackendEnvironment(directory, "backend.log"));
            }

            @Override
            public void close() throws IOException {
                try (Stream<Path> all = Files.walk(directory)) {
                    for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(path);
                    }
                }
            }
        };
    }
}
