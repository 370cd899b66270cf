package org.warpnfs.nfs.v4.state.listing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a table, in the order of their clients' ids and then of their own.
 *
 * @param next what to ask for {@linkplain StateQuery#after after}, to see more; null if there is no more
 */
public record StatePage<R extends StateRow>(
        List<R> rows, @Nullable String next) {}
