/**
 * Memory that peers may reach: regions, their STags, and the table that finds one by the other.
 *
 * <p>Knows no wire format. A table belongs to one queue pair, so an STag means nothing on any other stream.
 */
@NullMarked
package org.warpnfs.iwarp.memory;

import org.jspecify.annotations.NullMarked;
