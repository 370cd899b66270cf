/**
 * Shared test support for all protocol layers: real traffic from capture files, cutters that deliver a stream in
 * pieces, and seeds that are printed on failure.
 *
 * <p>The package depends on nothing of the other modules. It extracts TCP streams from captures, and the tests
 * interpret them.
 */
@NullMarked
package org.warpnfs.testkit;

import org.jspecify.annotations.NullMarked;
