package org.warpnfs.server;

import java.security.SecureRandom;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.gss.GssLayer;
import org.warpnfs.rpcrdma.gss.GssOptions;
import org.warpnfs.rpcrdma.gss.KerberosAcceptor;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.KerberosChoice;

/** Creates the layer for calls with RPCSEC_GSS from the configuration. */
final class Kerberos {
    private Kerberos() {}

    /**
     * Returns the layer of all transports; null if none is configured.
     *
     * @throws ConfigException if the keytab cannot be used
     */
    static @Nullable GssLayer layer(@Nullable KerberosChoice choice) throws ConfigException {
        if (choice == null) {
            return null;
        }
        try {
            KerberosAcceptor acceptor =
                    KerberosAcceptor.open(choice.keytab(), choice.principal(), KerberosChoice.SERVICE, choice.realm());
            return new GssLayer(acceptor, GssOptions.DEFAULTS, new SecureRandom(), System::nanoTime);
        } catch (LoginException | GSSException e) {
            throw new ConfigException("--keytab " + choice.keytab() + ": " + e.getMessage(), e);
        }
    }
}
