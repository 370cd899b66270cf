/**
 * NFS version 3 (RFC 1813): program 100003 version 3 over the file system SPI.
 *
 * <p>{@link org.warpnfs.nfs.v3.Nfs3Program} receives the calls. Each procedure is a class that decodes its arguments,
 * runs against the backend and makes its reply. Names are those of the RFC: {@code fattr3}, {@code wcc_data},
 * {@code sattr3}. The package knows {@code nfs.export} and {@code nfs.xdr}, but no other program and no transport.
 */
@NullMarked
package org.warpnfs.nfs.v3;

import org.jspecify.annotations.NullMarked;
