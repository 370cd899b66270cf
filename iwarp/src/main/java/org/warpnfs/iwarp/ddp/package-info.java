/**
 * Direct Data Placement (RFC 5041): segments, their two headers, and the checks before any byte is placed.
 *
 * <p>The input is segments with their lengths, and the largest segment to make (MULPDU) as a number. This package does
 * not know the framing below. A {@link org.warpnfs.iwarp.ddp.DdpUlp} above knows what an opcode means.
 */
@NullMarked
package org.warpnfs.iwarp.ddp;

import org.jspecify.annotations.NullMarked;
