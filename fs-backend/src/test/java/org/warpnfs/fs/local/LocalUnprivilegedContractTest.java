package org.warpnfs.fs.local;

import java.io.IOException;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;

/** Handles in a table, permissions checked in software. */
class LocalUnprivilegedContractTest extends BackendContract {
    @Override
    protected Backend backend() throws IOException {
        return LocalBackend.unprivileged(LocalBackend.TMPFS);
    }
}
