/**
 * Reading XDR (RFC 4506) from a peer that may lie, and the one door through which file data leave.
 *
 * <p>Knows oncrpc4j's streams and the payload; no protocol's data types.
 */
@NullMarked
package org.warpnfs.nfs.xdr;

import org.jspecify.annotations.NullMarked;
