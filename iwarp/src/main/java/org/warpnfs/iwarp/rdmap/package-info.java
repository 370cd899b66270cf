/**
 * The Remote Direct Memory Access Protocol (RFC 5040): what the messages mean that DDP carries.
 *
 * <p>Sits on DDP. Knows no framing, no socket and no upper layer; regions and posted buffers reach it through
 * interfaces.
 */
@NullMarked
package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.NullMarked;
