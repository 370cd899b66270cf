/**
 * What a service manager is told, by the protocol of sd_notify(3): ready, reloading, stopping, still alive. Knows
 * nothing of the server.
 */
@NullMarked
package org.warpnfs.server.systemd;

import org.jspecify.annotations.NullMarked;
