package org.warpnfs.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.dcache.oncrpc4j.rpc.RpcAuth;
import org.dcache.oncrpc4j.rpc.RpcAuthError;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcAuthStat;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeTls;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.junit.jupiter.api.Test;

class IdentityTest {
    @Test
    void of_authSys_isTheUserUnsigned() throws RpcAuthException {
        assertThat(Identity.of(call(new RpcAuthTypeUnix(-2, 100, new int[] {1, -3}, 0, "client"))))
                .isEqualTo(new Identity.SystemUser(0xfffffffeL, 100, List.of(1L, 0xfffffffdL)));
    }

    @Test
    void of_authNone_isAnonymous() throws RpcAuthException {
        assertThat(Identity.of(call(new RpcAuthTypeNone()))).isEqualTo(new Identity.Anonymous());
    }

    @Test
    void of_tooManyGroups_isABadCredential() throws RpcAuthException {
        assertThat(Identity.of(call(new RpcAuthTypeUnix(1, 1, new int[16], 0, "c"))))
                .isNotNull();
        assertRefused(RpcAuthStat.AUTH_BADCRED, new RpcAuthTypeUnix(1, 1, new int[17], 0, "client"));
    }

    @Test
    void of_anotherFlavour_isTooWeak() {
        assertRefused(RpcAuthStat.AUTH_TOOWEAK, new RpcAuthTypeTls());
    }

    private static RpcCall call(RpcAuth credential) {
        return new RpcCall(100003, 3, credential, null);
    }

    private static void assertRefused(int status, RpcAuth credential) {
        assertThatThrownBy(() -> Identity.of(call(credential)))
                .isInstanceOfSatisfying(
                        RpcAuthException.class, e -> assertThat(((RpcAuthError) e.getRpcReply()).getStat())
                                .isEqualTo(status));
    }
}
