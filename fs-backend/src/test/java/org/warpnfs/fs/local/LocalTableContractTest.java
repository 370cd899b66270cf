package org.warpnfs.fs.local;

import java.io.IOException;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;

/** Handles in a table, callers' identities. */
class LocalTableContractTest extends BackendContract {
    @Override
    protected Backend backend() throws IOException {
        return LocalBackend.withoutKernelHandles(LocalBackend.TMPFS);
    }
}
