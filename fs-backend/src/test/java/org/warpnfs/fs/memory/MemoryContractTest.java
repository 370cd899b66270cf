package org.warpnfs.fs.memory;

import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.contract.BackendContract;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
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
        public boolean actsAsCaller() {
            return true;
        }

        @Override
        public long serverUid() {
            return 0;
        }

        @Override
        public boolean canGiveAway() {
            return true;
        }

        @Override
        public void giveAway(FileSystem fileSystem, FileHandle file, String path, Caller owner) throws Exception {
            fileSystem.setAttributes(
                    Caller.ROOT, file, new AttributeChanges(null, owner.uid(), owner.gid(), null, null, null));
        }

        @Override
        public void close() {}
    }

    @Override
    protected Backend backend() {
        return new MemoryBackend();
    }
}
