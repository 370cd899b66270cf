/**
 * The NFS programs: NFSv3, NFSv4 and MOUNT as oncrpc4j dispatchables over the file system SPI.
 *
 * <p>This package and those below it do not know which transport carries a call. {@code export} defines what is served
 * and to whom. {@code xdr} decodes arguments and never trusts a length that a peer sent. Each protocol has a package of
 * its own.
 */
@NullMarked
package org.warpnfs.nfs;

import org.jspecify.annotations.NullMarked;
