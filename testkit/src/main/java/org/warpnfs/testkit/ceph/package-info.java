/** A cluster of Ceph for tests, from the programs that are installed. */
@NullMarked
package org.warpnfs.testkit.ceph;

import org.jspecify.annotations.NullMarked;
