/**
 * Decodes XDR (RFC 4506) without trusting the peer, and encodes file data.
 *
 * <p>The package knows oncrpc4j's streams and the payload, but no protocol's data types.
 */
@NullMarked
package org.warpnfs.nfs.xdr;

import org.jspecify.annotations.NullMarked;
