/**
 * What is served, under which path, to whom: exports, squashing, and the handles by which clients name files.
 *
 * <p>Every NFS program comes to a file through here, so that no path around an export's policy exists. Knows the file
 * system SPI and, in {@link org.warpnfs.nfs.export.Identity} alone, the credential of an RPC call.
 */
@NullMarked
package org.warpnfs.nfs.export;

import org.jspecify.annotations.NullMarked;
