/**
 * Byte order, gathering and the base of every complaint about a peer: what all layers share and no protocol owns.
 *
 * <p>Uses the JDK alone.
 */
@NullMarked
package org.warpnfs.iwarp.io;

import org.jspecify.annotations.NullMarked;
