/**
 * Marker PDU Aligned framing (RFC 5044, RFC 6581): the startup exchange, and framing of ULPDUs in a TCP stream.
 *
 * <p>The input and output of this package are bytes. It does not know the contents of ULPDUs, sockets or threads.
 */
@NullMarked
package org.warpnfs.iwarp.mpa;

import org.jspecify.annotations.NullMarked;
