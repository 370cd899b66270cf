package org.warpnfs.rpcrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.CompletableFuture;
import org.warpnfs.rpcrdma.request.RequestException;

/** The failures of calls below RPC. */
public final class Failures {
    private Failures() {}

    /** The failure of a call. */
    public static RequestException.Failure failure(CompletableFuture<?> reply) {
        assertThat(reply).isCompletedExceptionally();
        Throwable why = catchThrowable(reply::join).getCause();
        assertThat(why).isInstanceOf(RequestException.class);
        return ((RequestException) why).failure();
    }
}
