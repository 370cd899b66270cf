package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.file.Path;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;

/** Kernel handles and callers' identities, on the file system of the temporary directory, usually ext4. */
class LocalDiskContractTest extends BackendContract {
    @Override
    protected Backend backend() throws IOException {
        return LocalBackend.privileged(Path.of(System.getProperty("java.io.tmpdir")));
    }
}
