/**
 * The Remote Direct Memory Access Protocol (RFC 5040): the meaning of the messages that DDP carries.
 *
 * <p>RDMAP lies above DDP. This package does not know framing, sockets or the upper layer. Regions and posted buffers
 * reach it through interfaces.
 */
@NullMarked
package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.NullMarked;
