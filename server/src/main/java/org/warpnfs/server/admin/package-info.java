/**
 * What an administrator asks of a running server, and tells it, over a Unix socket: HTTP with JSON, as
 * {@code openapi.json} describes it. The command line knows {@link org.warpnfs.server.admin.AdminClient} alone.
 */
@NullMarked
package org.warpnfs.server.admin;

import org.jspecify.annotations.NullMarked;
