package org.warpnfs.fs.local;

import java.io.IOException;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;

/** Kernel handles and callers' identities, on tmpfs. */
class LocalPrivilegedContractTest extends BackendContract {
    @Override
    protected Backend backend() throws IOException {
        return LocalBackend.privileged(LocalBackend.TMPFS);
    }
}
