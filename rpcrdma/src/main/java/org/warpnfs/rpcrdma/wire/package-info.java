/**
 * The RPC-over-RDMA version 1 header, one class per structure on the wire (RFC 8166, section 4, RFC 8797).
 *
 * <p>Values only: bytes in, records out, and back. Knows no connection, no memory and no RPC. A header that was parsed
 * can be read without failing; a record that was constructed can be encoded.
 */
@NullMarked
package org.warpnfs.rpcrdma.wire;

import org.jspecify.annotations.NullMarked;
