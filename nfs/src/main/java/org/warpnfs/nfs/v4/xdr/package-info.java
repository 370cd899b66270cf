/**
 * The types of NFSv4 on the wire: statuses, operation numbers, stateids, bitmaps, and the bounded decoder and the
 * encoder that everything else in {@code v4} speaks through. Knows neither state nor files.
 */
@NullMarked
package org.warpnfs.nfs.v4.xdr;

import org.jspecify.annotations.NullMarked;
