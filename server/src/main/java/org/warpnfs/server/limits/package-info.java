/**
 * What clients may make the server hold: every number in one place, checked at start against what the process may have.
 */
@NullMarked
package org.warpnfs.server.limits;

import org.jspecify.annotations.NullMarked;
