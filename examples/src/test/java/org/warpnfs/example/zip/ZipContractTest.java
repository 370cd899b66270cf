package org.warpnfs.example.zip;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.ReadOnlyBackendContract;
import org.warpnfs.fs.contract.SampleTree;
import org.warpnfs.fs.spi.BackendEnvironment;
import org.warpnfs.fs.spi.FileSystem;

/** The backend {@code zip} fulfils the contract of trees that cannot be written. */
class ZipContractTest extends ReadOnlyBackendContract {
    @Override
    protected Backend backend() throws IOException {
        Path archive = sample(Files.createTempFile("warpnfs", ".zip"));
        return new Backend() {
            @Override
            public FileSystem start() throws Exception {
                return ZipContractTest.open(archive);
            }

            @Override
            public void close() throws IOException {
                Files.delete(archive);
            }
        };
    }

    static FileSystem open(Path archive) throws Exception {
        return new ZipBackend()
                .open(
                        archive.toString(),
                        Map.of("max-files", "10000"),
                        new BackendEnvironment(archive.resolveSibling("state"), "backend.zip"));
    }

    private static Path sample(Path archive) {
        ZipWriter zip = new ZipWriter();
        boolean deflated = false;
        for (SampleTree.File file : SampleTree.files()) {
            switch (file.type()) {
                case DIRECTORY ->
                    zip.add(file.path() + "/", ZipWriter.DIRECTORY | file.permissions(), new byte[0], false);
                case SYMLINK -> zip.add(file.path(), ZipWriter.SYMLINK | file.permissions(), file.bytes(), false);
                default -> {
                    deflated = !deflated || file.contents().length() > 100_000;
                    zip.add(file.path(), ZipWriter.REGULAR | file.permissions(), file.bytes(), deflated);
                }
            }
        }
        return zip.write(archive);
    }

    /** The bytes of a text, as tests write it. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
