package org.warpnfs.nfs.v4.state.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Opaque;

class OfferedCredentialsTest {
    private final CallbackCredential.Plain plain = new CallbackCredential.None();

    private static CallbackCredential.Gss gss(ClearContext context, int handle) {
        return new CallbackCredential.Gss(1, Opaque.of(new byte[] {(byte) handle}), context);
    }

    @Test
    void contextHasEnded_calls_goWithoutKeys() {
        ClearContext context = new ClearContext();
        OfferedCredentials offered = new OfferedCredentials(List.of(gss(context, 1)), plain);
        assertThat(offered.usable()).isEqualTo(gss(context, 1));

        context.remainingNanos = 0;

        assertThat(offered.usable()).isEqualTo(plain);
    }

    /** Anybody who can write into the connection can refuse a call. */
    @Test
    void contextWasRefused_calls_goWithAnotherContextOrNotAtAll() {
        ClearContext first = new ClearContext();
        ClearContext second = new ClearContext();
        OfferedCredentials offered = new OfferedCredentials(List.of(gss(first, 1), gss(second, 2)), plain);

        first.refused();
        assertThat(offered.usable()).isEqualTo(gss(second, 2));

        second.refused();
        assertThat(offered.usable()).isNull();
    }

    @Test
    void contextsAreAdded_again_onlySomeAreRemembered() {
        OfferedCredentials offered = new OfferedCredentials(List.of(), plain);
        for (int i = 0; i < 10; i++) {
            offered = offered.joinedBy(new OfferedCredentials(List.of(gss(new ClearContext(), i)), null));
        }

        assertThat(offered.contexts()).hasSize(OfferedCredentials.MAX_CONTEXTS);
        assertThat(offered.contexts().getFirst().handle()).isEqualTo(Opaque.of(new byte[] {9}));
        assertThat(offered.plain()).isEqualTo(plain);
    }
}
