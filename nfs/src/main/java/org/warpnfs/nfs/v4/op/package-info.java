/**
 * The operations of NFSv4.0 to 4.2 (RFC 7530, section 16, RFC 8881, section 18, RFC 7862, section 15, RFC 8276, section
 * 8). Each is a class that decodes its arguments, executes them, and encodes its result.
 *
 * <p>An operation knows exports, state and attributes, but not the other operations of its COMPOUND. It does not write
 * its own status.
 */
@NullMarked
package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.NullMarked;
