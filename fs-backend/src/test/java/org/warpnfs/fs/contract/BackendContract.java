package org.warpnfs.fs.contract;

import org.junit.jupiter.api.Nested;

/**
 * Everything that a backend guarantees to its callers: one class of tests for each concern. The test of each backend
 * inherits them. A test of a capability that the backend does not have checks that it is refused.
 */
public abstract class BackendContract {
    /** A fresh, empty tree for one test. */
    protected abstract Backend backend() throws Exception;

    @Nested
    class Capabilities extends CapabilityContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Reading extends ReadingContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Asking extends AskingContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Namespace extends NamespaceContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Creation extends CreationContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class HandlesAndChanges extends HandleContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Data extends DataContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class SparseFiles extends SparseContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Permissions extends PermissionContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Ownership extends OwnershipContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Listing extends ListingContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Xattrs extends XattrContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class AccessControlLists extends AclContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class AclPermissions extends AclPermissionContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Locks extends LockContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Leases extends LeaseContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class Lending extends LendingContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }

    @Nested
    class WithoutWait extends WithoutWaitContract {
        @Override
        protected Backend newBackend() throws Exception {
            return backend();
        }
    }
}
