package org.warpnfs.rpcrdma.tcp;

import org.junit.jupiter.api.condition.EnabledIf;

/** What passes on the wire, with OpenSSL on the server's side. */
@EnabledIf("org.warpnfs.rpcrdma.tcp.TlsEngines#hasOpenSsl")
class OpenSslWireTest extends TlsWireTest {
    @Override
    TlsEngines.Provider provider() {
        return TlsEngines.Provider.OPENSSL;
    }
}
