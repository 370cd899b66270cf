/**
 * Administration of a running server over a Unix socket: HTTP with JSON, described by {@code openapi.json}. The command
 * line uses only {@link org.warpnfs.server.admin.AdminClient}.
 */
@NullMarked
package org.warpnfs.server.admin;

import org.jspecify.annotations.NullMarked;
