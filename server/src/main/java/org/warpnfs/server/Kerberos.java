package org.warpnfs.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackContext;
import org.warpnfs.rpcrdma.gss.GssLayer;
import org.warpnfs.rpcrdma.gss.GssOptions;
import org.warpnfs.rpcrdma.gss.KerberosAcceptor;
import org.warpnfs.rpcrdma.gss.ReverseContext;
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

    /** Contexts of clients for callbacks to them. */
    static CallbackContext.Finder callbackContexts(GssLayer layer) {
        return handle -> {
            ReverseContext context = layer.reverse(handle);
            return context == null ? null : new Callbacks(context);
        };
    }

    private static final class Callbacks implements CallbackContext {
        private final ReverseContext context;
        private volatile boolean refused;

        Callbacks(ReverseContext context) {
            this.context = context;
        }

        private interface Work<T> {
            T run() throws GSSException;
        }

        private static <T> T run(Work<T> work) throws IOException {
            try {
                return work.run();
            } catch (GSSException e) {
                throw new IOException(e);
            }
        }

        @Override
        public String owner() {
            return context.owner();
        }

        @Override
        public long remainingNanos() {
            return refused ? 0 : context.remainingNanos();
        }

        @Override
        public void refused() {
            refused = true;
        }

        @Override
        public boolean isRefused() {
            return refused;
        }

        @Override
        public int nextNumber() {
            return context.nextNumber();
        }

        @Override
        public byte[] mic(byte[] message) throws IOException {
            return run(() -> context.mic(message));
        }

        @Override
        public void verifyMic(byte[] token, byte[] message) throws IOException {
            var _ = run(() -> {
                context.verifyMic(token, message);
                return message;
            });
        }

        @Override
        public byte[] wrap(byte[] message) throws IOException {
            return run(() -> context.wrap(message));
        }

        @Override
        public ByteBuffer unwrap(byte[] token) throws IOException {
            return run(() -> context.unwrap(token));
        }
    }
}
