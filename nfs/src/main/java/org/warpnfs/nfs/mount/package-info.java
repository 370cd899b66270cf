/**
 * MOUNT (RFC 1813, appendix I), by which an NFSv3 client gets its first handle.
 *
 * <p>The package knows {@code nfs.export} and {@code nfs.xdr}, but not NFS itself.
 */
@NullMarked
package org.warpnfs.nfs.mount;

import org.jspecify.annotations.NullMarked;
