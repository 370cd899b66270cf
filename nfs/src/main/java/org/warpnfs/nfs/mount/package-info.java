/**
 * MOUNT (RFC 1813, appendix I): how an NFSv3 client comes to its first handle.
 *
 * <p>Knows {@code nfs.export} and {@code nfs.xdr}; not NFS itself.
 */
@NullMarked
package org.warpnfs.nfs.mount;

import org.jspecify.annotations.NullMarked;
