/**
 * NFS version 3 (RFC 1813): program 100003 version 3 over the file system SPI.
 *
 * <p>{@link org.warpnfs.nfs.v3.Nfs3Program} takes the calls; each procedure is a class of its own that decodes its
 * arguments, runs against the backend and says what its reply holds. What the RFC calls by name is called so here:
 * {@code fattr3}, {@code wcc_data}, {@code sattr3}. Knows {@code nfs.export} and {@code nfs.xdr}; no other program, and
 * no transport.
 */
@NullMarked
package org.warpnfs.nfs.v3;

import org.jspecify.annotations.NullMarked;
