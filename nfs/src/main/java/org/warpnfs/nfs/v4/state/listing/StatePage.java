package org.warpnfs.nfs.v4.state.listing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a table, ordered by their clients' ids and then by their own.
 *
 * @param next the {@linkplain StateQuery#after after} of a query for the next rows; null if there are no more
 */
public record StatePage<R extends StateRow>(
        List<R> rows, @Nullable String next) {}
