/** A small read-only HTTP server. It does not depend on the contents of its answers. */
@NullMarked
package org.warpnfs.server.http;

import org.jspecify.annotations.NullMarked;
