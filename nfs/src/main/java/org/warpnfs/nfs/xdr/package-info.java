/**
 * Reading XDR (RFC 4506) from a peer that may lie, and encoding file data, in one place.
 *
 * <p>Knows oncrpc4j's streams and the payload; no protocol's data types.
 */
@NullMarked
package org.warpnfs.nfs.xdr;

import org.jspecify.annotations.NullMarked;
