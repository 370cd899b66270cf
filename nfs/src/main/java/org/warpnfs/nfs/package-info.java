/**
 * The NFS programs: NFSv3, NFSv4 and MOUNT as oncrpc4j dispatchables over the file system SPI.
 *
 * <p>Nothing here knows what carries a call. {@code export} says what is served and to whom, {@code xdr} reads what a
 * peer sent without believing its lengths, and each protocol has a package of its own.
 */
@NullMarked
package org.warpnfs.nfs;

import org.jspecify.annotations.NullMarked;
