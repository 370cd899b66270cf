/**
 * Exports: what is served, under which path, to whom, with which squashing, and by which handles clients name files.
 *
 * <p>Every NFS program gets its files through this package, so none can bypass an export's policy. The package knows
 * the file system SPI and, in {@link org.warpnfs.nfs.export.Identity} alone, the credential of an RPC call.
 */
@NullMarked
package org.warpnfs.nfs.export;

import org.jspecify.annotations.NullMarked;
