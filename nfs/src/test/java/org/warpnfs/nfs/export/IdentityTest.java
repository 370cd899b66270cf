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
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.Caller;

class IdentityTest {
    private static final Identity USER = new Identity.SystemUser(1000, 100, List.of(4L, 0L, 27L));
    private static final Identity ROOT = new Identity.SystemUser(0, 0, List.of(0L, 5L));

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

    @Test
    void callerOf_noSquash_isWhoTheClientSays() {
        assertThat(with(Squash.NONE).callerOf(ROOT)).isEqualTo(new Caller(0, 0, List.of(0L, 5L)));
        assertThat(with(Squash.NONE).callerOf(USER)).isEqualTo(new Caller(1000, 100, List.of(4L, 0L, 27L)));
    }

    @Test
    void callerOf_rootSquash_replacesEveryZero() {
        assertThat(with(Squash.ROOT).callerOf(ROOT)).isEqualTo(new Caller(77, 88, List.of(88L, 5L)));
        assertThat(with(Squash.ROOT).callerOf(USER)).isEqualTo(new Caller(1000, 100, List.of(4L, 88L, 27L)));
    }

    @Test
    void callerOf_allSquash_isTheAnonymousUser() {
        assertThat(with(Squash.ALL).callerOf(USER)).isEqualTo(new Caller(77, 88, List.of()));
    }

    @Test
    void callerOf_authNone_isTheAnonymousUserEverywhere() {
        for (Squash squash : Squash.values()) {
            assertThat(with(squash).callerOf(new Identity.Anonymous())).isEqualTo(new Caller(77, 88, List.of()));
        }
    }

    @Test
    void options_idsWiderThan32Bits_sayIt() {
        assertThatThrownBy(() -> new ExportOptions(false, Squash.ROOT, 1L << 32, 0))
                .hasMessageContaining("anonuid");
        assertThatThrownBy(() -> new ExportOptions(false, Squash.ROOT, 0, -1)).hasMessageContaining("anongid");
    }

    private static Export with(Squash squash) {
        return Export.of(
                PseudoPath.of("/x"),
                new MemoryFileSystem(1 << 20, 10),
                new ExportOptions(false, squash, 77, 88),
                "memory");
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
