/**
 * Marker PDU Aligned framing (RFC 5044, RFC 6581): the startup exchange and the cutting of a TCP stream into ULPDUs.
 *
 * <p>Takes and gives bytes. Knows nothing of what a ULPDU holds, of sockets or of threads.
 */
@NullMarked
package org.warpnfs.iwarp.mpa;

import org.jspecify.annotations.NullMarked;
