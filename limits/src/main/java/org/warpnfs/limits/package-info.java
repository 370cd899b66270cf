/**
 * What every layer needs to keep one peer from harming another: the identity of a client, fair shares, least rates, and
 * a limit on log lines.
 *
 * <p>This package is at the bottom of the dependency ladder and knows no protocols and no sockets.
 */
@NullMarked
package org.warpnfs.limits;

import org.jspecify.annotations.NullMarked;
