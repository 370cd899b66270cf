/**
 * Notifications to a service manager with the protocol of sd_notify(3): ready, reloading, stopping, alive. Independent
 * of the rest of the server.
 */
@NullMarked
package org.warpnfs.server.systemd;

import org.jspecify.annotations.NullMarked;
