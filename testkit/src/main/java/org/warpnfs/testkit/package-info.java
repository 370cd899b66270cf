/**
 * What the tests of every protocol layer share: real traffic from capture files, cutters that hand a stream over in
 * pieces, and seeds that a failure prints.
 *
 * <p>Knows the JDK and nothing else: it takes TCP streams out of a capture and leaves what they mean to the tests.
 */
@NullMarked
package org.warpnfs.testkit;

import org.jspecify.annotations.NullMarked;
