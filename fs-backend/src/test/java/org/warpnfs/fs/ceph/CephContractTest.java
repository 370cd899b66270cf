package org.warpnfs.fs.ceph;

import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;

/** The backend of Ceph fulfils the contract, on a cluster of its own. */
class CephContractTest extends BackendContract {
    @Override
    protected Backend backend() throws Exception {
        return CephBackend.inSharedCluster();
    }
}
