/** What administrators ask of the state, and what they are told. Knows no table. */
@NullMarked
package org.warpnfs.nfs.v4.state.listing;

import org.jspecify.annotations.NullMarked;
