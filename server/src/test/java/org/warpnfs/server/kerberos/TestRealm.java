package org.warpnfs.server.kerberos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.Oid;

/** A realm of its own: a KDC on loopback in this process, the keytab of a server, and users with tickets. */
final class TestRealm implements AutoCloseable {
    static final String NAME = "TEST.LAN";
    static final String SERVER = "nfs/server.test@" + NAME;

    private static final String KERBEROS_5 = "1.2.840.113554.1.2.2";

    private final SimpleKdcServer kdc;
    private final Path directory;
    private final Path serverKeytab;

    private TestRealm(SimpleKdcServer kdc, Path directory) throws KrbException {
        this.kdc = kdc;
        this.directory = directory;
        this.serverKeytab = directory.resolve("server.keytab");
        kdc.createPrincipal(SERVER, "key of the server");
        kdc.exportPrincipal(SERVER, serverKeytab.toFile());
    }

    static TestRealm start(Path directory) throws KrbException, IOException {
        return start(directory, "");
    }

    /** @param encryptionType of all keys; empty for those that the KDC has by default */
    static TestRealm start(Path directory, String encryptionType) throws KrbException, IOException {
        SimpleKdcServer kdc = new SimpleKdcServer();
        if (!encryptionType.isEmpty()) {
            kdc.getKdcConfig().setString(KdcConfigKey.ENCRYPTION_TYPES, encryptionType);
        }
        kdc.setKdcRealm(NAME);
        kdc.setKdcHost("127.0.0.1");
        kdc.setAllowUdp(false);
        kdc.setKdcTcpPort(freePort());
        kdc.setWorkDir(directory.toFile());
        kdc.init();
        kdc.start();
        System.setProperty(
                "java.security.krb5.conf", directory.resolve("krb5.conf").toString());
        return new TestRealm(kdc, directory);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    Path serverKeytab() {
        return serverKeytab;
    }

    /** Adds a principal, and returns the initiator's end of a context of it, as rpc.gssd makes it. */
    Subject login(String principal) throws KrbException, LoginException, IOException {
        Path keytab = Files.createTempFile(directory, "user", ".keytab");
        Files.delete(keytab);
        kdc.createPrincipal(principal, "key of " + principal);
        kdc.exportPrincipal(principal, keytab.toFile());
        Subject subject = new Subject();
        Map<String, String> options = Map.of(
                "useKeyTab", "true",
                "keyTab", keytab.toString(),
                "principal", principal,
                "doNotPrompt", "true",
                "refreshKrb5Config", "true");
        new LoginContext("user", subject, null, new Configuration() {
                    @Override
                    public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                        return new AppConfigurationEntry[] {
                            new AppConfigurationEntry(
                                    "com.sun.security.auth.module.Krb5LoginModule",
                                    LoginModuleControlFlag.REQUIRED,
                                    options)
                        };
                    }
                })
                .login();
        return subject;
    }

    /** The initiator's end of a context with the server. */
    static GSSContext initiate(Subject user) throws GSSException {
        try {
            return Subject.callAs(user, () -> {
                GSSManager manager = GSSManager.getInstance();
                Oid mechanism = new Oid(KERBEROS_5);
                GSSContext context = manager.createContext(
                        manager.createName(SERVER, new Oid("1.2.840.113554.1.2.2.1")),
                        mechanism,
                        null,
                        GSSContext.INDEFINITE_LIFETIME);
                context.requestMutualAuth(false);
                context.requestSequenceDet(false);
                context.requestReplayDet(false);
                return context;
            });
        } catch (CompletionException e) {
            if (e.getCause() instanceof GSSException gss) {
                throw gss;
            }
            throw e;
        }
    }

    @Override
    public void close() throws KrbException {
        kdc.stop();
        System.clearProperty("java.security.krb5.conf");
    }
}
