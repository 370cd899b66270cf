/**
 * The types of NFSv4 on the wire: statuses, operation numbers, stateids, bitmaps, and the bounded decoder and the
 * encoder that the rest of {@code v4} uses. The package knows neither state nor files.
 */
@NullMarked
package org.warpnfs.nfs.v4.xdr;

import org.jspecify.annotations.NullMarked;
