package org.warpnfs.fs.local;

import java.io.IOException;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;

/** Handles in a table, owners in extended attributes. */
class LocalMappedContractTest extends BackendContract {
    @Override
    protected Backend backend() throws IOException {
        return LocalBackend.mapped(LocalBackend.TMPFS);
    }
}
