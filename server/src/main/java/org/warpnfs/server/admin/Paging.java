package org.warpnfs.server.admin;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.listing.StateQuery;

/** The requested part of a list: {@code limit}, by default {@value #DEFAULT_LIMIT}, and {@code after}. */
final class Paging {
    static final int DEFAULT_LIMIT = 100;

    private Paging() {}

    static StateQuery of(AdminRequest request) throws AdminException {
        return new StateQuery(request.parameter("client"), request.parameter("after"), limit(request));
    }

    static int limit(AdminRequest request) throws AdminException {
        String limit = request.parameter("limit");
        int number = limit == null ? DEFAULT_LIMIT : parsed(limit);
        if (number < 1 || number > StateQuery.MAX_LIMIT) {
            throw new AdminException(AdminException.BAD_REQUEST, "limit is not within 1.." + StateQuery.MAX_LIMIT);
        }
        return number;
    }

    private static int parsed(@Nullable String limit) throws AdminException {
        try {
            return Integer.parseInt(limit);
        } catch (NumberFormatException e) {
            throw new AdminException(AdminException.BAD_REQUEST, "limit is not a number");
        }
    }
}
