package org.warpnfs.rpcrdma.gss;

import com.sun.security.jgss.ExtendedGSSContext;
import com.sun.security.jgss.InquireType;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.EncryptionKey;
import javax.security.auth.kerberos.KerberosKey;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.MessageProp;
import org.ietf.jgss.Oid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Accepts contexts of Kerberos 5 (RFC 4121) with the keys of a keytab, by the JDK's own GSS-API. Messages of a context
 * with AES are protected by {@link KerberosTokens}.
 *
 * <h2>Operation</h2>
 *
 * It needs nothing but the keytab: no JAAS file, and no krb5.conf. It never calls a KDC. The JDK's replay cache of
 * tokens is off: it grows with every token, and a repeated token gives a context that its sender cannot use, because
 * each call proves the keys and names the new handle.
 *
 * <p>The JDK does not tell when a ticket ends. So an accepted ticket is decrypted once more, for its time alone.
 *
 * <h2>Errors</h2>
 *
 * What the JDK throws beside {@link GSSException} for a malformed token becomes DEFECTIVE_TOKEN. Safe for any thread.
 */
public final class KerberosAcceptor implements ContextAcceptor {
    private static final Logger LOG = LoggerFactory.getLogger(KerberosAcceptor.class);

    /** The mechanism (RFC 1964, section 1). */
    private static final String KERBEROS_5 = "1.2.840.113554.1.2.2";

    /** Without a minor status Java does not show the text of an exception. */
    private static final int NO_MINOR = -1;

    private static final String CONFIGURATION = "java.security.krb5.conf";
    private static final String REPLAY_CACHE = "sun.security.krb5.rcache";
    private static final String REALM = "java.security.krb5.realm";
    private static final String KDC = "java.security.krb5.kdc";
    private static final Path USUAL_CONFIGURATION = Path.of("/etc/krb5.conf");

    private final Subject subject;
    private final String service;
    private final GSSCredential credential;
    private final KeyTab keys;
    private final InstantSource clock;

    private KerberosAcceptor(
            Subject subject, String service, GSSCredential credential, KeyTab keys, InstantSource clock) {
        this.subject = subject;
        this.service = service;
        this.credential = credential;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Opens a keytab.
     *
     * @param principal whose keys are used, with its realm; {@code *} for every name of {@code service} in the keytab
     * @param service the first component of the names by which clients may address this server, such as {@code nfs}
     * @param realm the default realm, if the host has no krb5.conf
     * @throws LoginException if the JDK does not accept the keytab
     * @throws GSSException if it holds no usable key
     */
    public static KerberosAcceptor open(Path keytab, String principal, String service, String realm)
            throws LoginException, GSSException {
        return open(keytab, principal, service, realm, InstantSource.system());
    }

    /** As above, with a clock for what is left of a ticket. */
    static KerberosAcceptor open(Path keytab, String principal, String service, String realm, InstantSource clock)
            throws LoginException, GSSException {
        if (System.getProperty(CONFIGURATION) == null
                && System.getProperty(REALM) == null
                && System.getProperty(KDC) == null
                && !Files.exists(USUAL_CONFIGURATION)) {
            // The JDK wants both or neither. The KDC is never called.
            System.setProperty(REALM, realm);
            System.setProperty(KDC, "localhost");
        }
        if (System.getProperty(REPLAY_CACHE) == null) {
            System.setProperty(REPLAY_CACHE, "none");
        }
        Subject subject = new Subject();
        new LoginContext("warpnfs", subject, null, new KeytabLogin(keytab, principal)).login();
        try {
            GSSCredential credential = Subject.callAs(subject, () -> GSSManager.getInstance()
                    .createCredential(
                            null, GSSCredential.INDEFINITE_LIFETIME, new Oid(KERBEROS_5), GSSCredential.ACCEPT_ONLY));
            return new KerberosAcceptor(
                    subject, service, credential, KeyTab.getUnboundInstance(keytab.toFile()), clock);
        } catch (CompletionException e) {
            throw e.getCause() instanceof GSSException gss ? gss : new GSSException(GSSException.NO_CRED);
        }
    }

    @Override
    public SecurityContext begin() throws GSSException {
        return new Context(GSSManager.getInstance().createContext(credential));
    }

    /** The end in an opened ticket; null if it is not legible, as when another key than the ticket's has opened it. */
    private static @Nullable Instant endOf(byte[] open) {
        try {
            return ServiceTicket.endTime(open);
        } catch (DerReader.Malformed e) {
            LOG.debug("no ticket comes of this key", e);
            return null;
        }
    }

    /**
     * The end of the ticket in an accepted token.
     *
     * @param target the name of the service in the ticket
     * @return null if it cannot be read: an old encryption type, or a key that has left the keytab just now
     */
    private @Nullable Instant endOfTicket(byte[] token, String target) {
        try {
            ServiceTicket ticket = ServiceTicket.parse(token);
            for (KerberosKey key : keys.getKeys(new KerberosPrincipal(target))) {
                if (key.getKeyType() != ticket.encryptionType()
                        || (ticket.keyVersion() >= 0 && key.getVersionNumber() != ticket.keyVersion())) {
                    continue;
                }
                byte[] open = TicketKey.decrypt(ticket, key.getEncoded());
                Instant end = open == null ? null : endOf(open);
                if (end != null) {
                    return end;
                }
            }
            LOG.debug("no key for a ticket of encryption type {}", ticket.encryptionType());
        } catch (DerReader.Malformed
                | GeneralSecurityException
                | DateTimeException
                | IllegalArgumentException
                | IllegalStateException e) {
            LOG.debug("the end of a ticket for {} cannot be read", target, e);
        }
        return null;
    }

    /** The only login that this class makes. */
    private static final class KeytabLogin extends Configuration {
        private final Map<String, String> options = new HashMap<>();

        KeytabLogin(Path keytab, String principal) {
            options.put("useKeyTab", "true");
            options.put("keyTab", keytab.toAbsolutePath().toString());
            options.put("principal", principal);
            options.put("isInitiator", "false");
            options.put("storeKey", "true");
            options.put("doNotPrompt", "true");
            options.put("refreshKrb5Config", "true");
        }

        @Override
        public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {
                new AppConfigurationEntry(
                        "com.sun.security.auth.module.Krb5LoginModule", LoginModuleControlFlag.REQUIRED, options)
            };
        }
    }

    private final class Context implements SecurityContext {
        private final GSSContext context;
        private @Nullable Instant end;
        /** Null until the context is established, or if its encryption type is an old one. */
        private @Nullable KerberosTokens tokens;

        Context(GSSContext context) {
            this.context = context;
        }

        @Override
        public byte[] accept(byte[] token) throws GSSException {
            byte[] answer = guarded(
                    GSSException.DEFECTIVE_TOKEN,
                    () -> Subject.callAs(subject, () -> {
                        byte[] reply = context.acceptSecContext(token, 0, token.length);
                        return reply == null ? new byte[0] : reply;
                    }));
            if (context.isEstablished()) {
                String target = context.getTargName().toString();
                requireOurService(target);
                end = endOfTicket(token, target);
                tokens = tokens();
            }
            return answer;
        }

        private @Nullable KerberosTokens tokens() throws GSSException {
            if (!(context instanceof ExtendedGSSContext extended)
                    || !(extended.inquireSecContext(InquireType.KRB5_GET_SESSION_KEY_EX)
                            instanceof EncryptionKey key)) {
                return null;
            }
            byte[] message = {};
            byte[] sample = context.getMIC(message, 0, 0, new MessageProp(0, false));
            try {
                KerberosTokens made = KerberosTokens.of(key.getKeyType(), key.getEncoded(), sample, message);
                if (made == null) {
                    LOG.debug("the JDK makes the tokens of encryption type {}", key.getKeyType());
                }
                return made;
            } catch (GeneralSecurityException e) {
                LOG.debug("the JDK makes the tokens of encryption type {}", key.getKeyType(), e);
                return null;
            }
        }

        /** A ticket for another service of this host, whose keys are in the same keytab, is not for this one. */
        private void requireOurService(String target) throws GSSException {
            if (!target.startsWith(service + "/") && !target.startsWith(service + "@")) {
                context.dispose();
                throw new GSSException(GSSException.NO_CRED, NO_MINOR, "a ticket for " + target);
            }
        }

        @Override
        public boolean isEstablished() {
            return context.isEstablished();
        }

        @Override
        public String initiator() throws GSSException {
            return context.getSrcName().toString();
        }

        @Override
        public @Nullable Duration remaining() {
            return end == null ? null : Duration.between(clock.instant(), end);
        }

        @Override
        public byte[] mic(byte[] in, int from, int lengthBytes) throws GSSException {
            KerberosTokens own = tokens;
            return guarded(
                    GSSException.FAILURE,
                    () -> own == null
                            ? context.getMIC(in, from, lengthBytes, new MessageProp(0, false))
                            : own.mic(in, from, lengthBytes));
        }

        @Override
        public void verifyMic(byte[] token, byte[] message) throws GSSException {
            KerberosTokens own = tokens;
            var _ = guarded(GSSException.BAD_MIC, () -> {
                if (own == null) {
                    context.verifyMIC(token, 0, token.length, message, 0, message.length, new MessageProp(0, false));
                } else {
                    own.verifyMic(token, message);
                }
                return message;
            });
        }

        @Override
        public ByteBuffer wrap(List<ByteBuffer> message, int lengthBytes, int headroomBytes) throws GSSException {
            KerberosTokens own = tokens;
            if (own != null) {
                return guarded(GSSException.FAILURE, () -> own.wrap(message, lengthBytes, headroomBytes));
            }
            ByteBuffer whole = ByteBuffer.allocate(lengthBytes);
            message.forEach(whole::put);
            MessageProp properties = new MessageProp(0, true);
            byte[] token = guarded(GSSException.FAILURE, () -> context.wrap(whole.array(), 0, lengthBytes, properties));
            if (!properties.getPrivacy()) {
                throw new GSSException(GSSException.FAILURE, NO_MINOR, "the context cannot encrypt");
            }
            int end = Math.addExact(headroomBytes, token.length);
            return ByteBuffer.allocate(Math.addExact(headroomBytes, XdrStream.roundUp(token.length)))
                    .put(headroomBytes, token)
                    .limit(end);
        }

        @Override
        public ByteBuffer unwrap(byte[] token) throws GSSException {
            KerberosTokens own = tokens;
            if (own != null) {
                return guarded(GSSException.DEFECTIVE_TOKEN, () -> own.unwrap(token));
            }
            MessageProp properties = new MessageProp(0, false);
            byte[] message =
                    guarded(GSSException.DEFECTIVE_TOKEN, () -> context.unwrap(token, 0, token.length, properties));
            if (!properties.getPrivacy()) {
                throw new GSSException(GSSException.BAD_MIC, NO_MINOR, "a body that is not encrypted");
            }
            return ByteBuffer.wrap(message);
        }

        @Override
        public void dispose() {
            try {
                context.dispose();
            } catch (GSSException e) {
                // There is nothing left to dispose of.
            }
        }
    }

    private static <T> T guarded(int major, Callable<T> call) throws GSSException {
        try {
            return call.call();
        } catch (GSSException e) {
            throw e;
        } catch (Exception e) {
            if (e.getCause() instanceof GSSException inner) {
                throw inner;
            }
            GSSException failure = new GSSException(major, NO_MINOR, String.valueOf(e.getMessage()));
            failure.initCause(e);
            throw failure;
        }
    }
}
