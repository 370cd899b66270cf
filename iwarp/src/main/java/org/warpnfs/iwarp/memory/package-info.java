/**
 * Memory that peers may access: regions, their STags, and the table that finds a region by its STag.
 *
 * <p>This package knows no wire format. Each queue pair has a table of its own, so an STag of one stream means nothing
 * on another.
 */
@NullMarked
package org.warpnfs.iwarp.memory;

import org.jspecify.annotations.NullMarked;
