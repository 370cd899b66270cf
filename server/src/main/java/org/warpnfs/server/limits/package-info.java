/**
 * The limits of what clients may make the server hold, in one place, and their comparison with the resources of the
 * process.
 */
@NullMarked
package org.warpnfs.server.limits;

import org.jspecify.annotations.NullMarked;
