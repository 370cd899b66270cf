/**
 * Byte-range locks on files, for all versions of NFS together. The package knows no protocol, and of a lock's owner
 * only whether it is still there.
 */
@NullMarked
package org.warpnfs.nfs.locks;

import org.jspecify.annotations.NullMarked;
