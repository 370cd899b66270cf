/** Queries of administrators about the state, and the rows of their answers. The package knows no table. */
@NullMarked
package org.warpnfs.nfs.v4.state.listing;

import org.jspecify.annotations.NullMarked;
