/**
 * What every layer needs to keep one peer from harming another: who counts as one client, and how often a log line
 * about it is written.
 *
 * <p>The lowest rung of the ladder. It knows no protocol and no socket.
 */
@NullMarked
package org.warpnfs.limits;

import org.jspecify.annotations.NullMarked;
