package org.warpnfs.server.config;

import java.nio.file.Path;
import java.util.List;
import org.warpnfs.nfs.export.Flavor;

/**
 * How clients prove who their users are with Kerberos.
 *
 * @param keytab the file with the server's keys
 * @param principal whose keys are used, with its realm; {@link #ANY} for every {@code nfs/...} of the keytab
 * @param realm ours, whose users are looked up on this host
 */
public record KerberosChoice(Path keytab, String principal, String realm) {
    /** Every name of the service in the keytab. */
    public static final String ANY = "*";

    /** The first component of the names of NFS servers (RFC 7530, section 3.2.1). */
    public static final String SERVICE = "nfs";

    /**
     * Checks that exports ask for Kerberos only if there is a keytab.
     *
     * @throws ConfigException at the first that does
     */
    public static void requireKeys(List<ExportSpec> exports) throws ConfigException {
        for (ExportSpec export : exports) {
            boolean asks = export.policy().rules().stream()
                    .anyMatch(rule -> rule.options().flavors().stream().anyMatch(Flavor::isKerberos));
            if (asks) {
                throw export.place().mistake("sec=krb5, krb5i and krb5p need the server's keys: keytab (--keytab)");
            }
        }
    }
}
