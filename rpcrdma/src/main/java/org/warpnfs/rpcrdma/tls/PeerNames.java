package org.warpnfs.rpcrdma.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** The names in a peer's certificate. */
public final class PeerNames {
    private static final int EMAIL = 1;
    private static final int DNS = 2;

    /** More names identify nobody better. */
    private static final int MOST = 64;

    private PeerNames() {}

    /**
     * The names of a verified certificate in lower case, each once: those for hosts, mail addresses, the common name.
     */
    public static List<String> of(X509Certificate certificate) {
        Set<String> names = new LinkedHashSet<>(alternatives(certificate, DNS));
        names.addAll(alternatives(certificate, EMAIL));
        names.addAll(commonNames(certificate));
        return names.stream().limit(MOST).toList();
    }

    private static List<String> alternatives(X509Certificate certificate, int kind) {
        List<String> names = new ArrayList<>();
        Collection<List<?>> all;
        try {
            all = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            return names;
        }
        if (all == null) {
            return names;
        }
        for (List<?> each : all) {
            if (each.get(0) instanceof Integer type && type == kind && each.get(1) instanceof String name) {
                names.add(name.toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    private static List<String> commonNames(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
                    names.add(name.toLowerCase(Locale.ROOT));
                }
            }
        } catch (InvalidNameException e) {
            return names;
        }
        return names;
    }
}
