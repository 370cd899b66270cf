/**
 * Direct Data Placement (RFC 5041): segments, their two headers, and the checks that stand before every byte placed.
 *
 * <p>Takes segments and their lengths, and the largest segment to make (MULPDU) as a number. Knows neither the framing
 * below nor what an opcode above means: that is the business of a {@link org.warpnfs.iwarp.ddp.DdpUlp}.
 */
@NullMarked
package org.warpnfs.iwarp.ddp;

import org.jspecify.annotations.NullMarked;
