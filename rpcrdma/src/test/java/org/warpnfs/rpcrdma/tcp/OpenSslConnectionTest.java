package org.warpnfs.rpcrdma.tcp;

import org.junit.jupiter.api.condition.EnabledIf;

/** TLS on loopback, with OpenSSL on the server's side. */
@EnabledIf("org.warpnfs.rpcrdma.tcp.TlsEngines#hasOpenSsl")
class OpenSslConnectionTest extends TlsConnectionTest {
    @Override
    TlsEngines.Provider provider() {
        return TlsEngines.Provider.OPENSSL;
    }
}
