package org.warpnfs.fs.memory;

import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;
import org.warpnfs.fs.spi.FileSystem;

/** The memory backend fulfils the contract. */
class MemoryContractTest extends BackendContract {
    private static final class MemoryBackend implements Backend {
        @Override
        public FileSystem start() {
            return new MemoryFileSystem(256L << 20, 10_000);
        }

        @Override
        public boolean keepsFiles() {
            return false;
        }

        @Override
        public void close() {}
    }

    @Override
    protected Backend backend() {
        return new MemoryBackend();
    }
}
