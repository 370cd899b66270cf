package org.warpnfs.server.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.warpnfs.rpcrdma.gss.Keytab;
import org.warpnfs.server.config.BoundedText;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.KerberosChoice;
import org.warpnfs.server.config.PathText;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Settings;

/** The settings of Kerberos. */
final class KerberosSettings {
    private KerberosSettings() {}

    /**
     * Returns the server's keys; empty if there is no keytab.
     *
     * @throws ConfigException if the keytab cannot be read, or lacks the principal
     */
    static Optional<KerberosChoice> of(Resolved settings) throws ConfigException {
        String file = settings.get(Settings.KEYTAB);
        String said = settings.get(Settings.PRINCIPAL);
        if (file.isEmpty()) {
            if (!said.isEmpty()) {
                throw new ConfigException(
                        settings.at(Settings.PRINCIPAL) + " " + said + ": this needs keytab (--keytab)");
            }
            return Optional.empty();
        }
        Path path = PathText.of(settings.at(Settings.KEYTAB), file);
        String at = settings.at(Settings.KEYTAB) + " " + file;
        Keytab keytab;
        try {
            keytab = Keytab.read(path);
        } catch (IOException e) {
            throw new ConfigException(at + ": " + BoundedText.reason(e), e);
        }
        if (said.isEmpty()) {
            return Optional.of(new KerberosChoice(path, KerberosChoice.ANY, realmOf(at, keytab)));
        }
        if (!isOurs(said) || said.indexOf('@') < 0) {
            throw new ConfigException(settings.at(Settings.PRINCIPAL) + " " + said
                    + ": not nfs/HOST@REALM, by which clients address an NFS server");
        }
        if (!keytab.principals().contains(said)) {
            throw new ConfigException(at + ": no key of " + said + ", only of " + keytab.principals());
        }
        return Optional.of(new KerberosChoice(path, said, said.substring(said.indexOf('@') + 1)));
    }

    private static boolean isOurs(String principal) {
        return principal.startsWith(KerberosChoice.SERVICE + "/");
    }

    private static String realmOf(String at, Keytab keytab) throws ConfigException {
        List<String> realms = keytab.principals().stream()
                .filter(KerberosSettings::isOurs)
                .map(principal -> principal.substring(principal.indexOf('@') + 1))
                .distinct()
                .toList();
        if (realms.isEmpty()) {
            throw new ConfigException(at + ": no key of nfs/HOST@REALM, only of " + keytab.principals());
        }
        if (realms.size() > 1) {
            throw new ConfigException(
                    at + ": keys of nfs/HOST in several realms, " + realms + ": choose one by principal (--principal)");
        }
        return realms.getFirst();
    }
}
