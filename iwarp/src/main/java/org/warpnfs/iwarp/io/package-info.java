/**
 * What all protocol layers share: byte order, gathering of buffers, and the base class of protocol violations.
 *
 * <p>Uses the JDK alone.
 */
@NullMarked
package org.warpnfs.iwarp.io;

import org.jspecify.annotations.NullMarked;
