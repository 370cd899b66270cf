package org.warpnfs.server.config;

import com.google.common.base.Splitter;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.warpnfs.nfs.v4.layout.DataServer;
import org.warpnfs.nfs.v4.layout.DataServerAddress;
import org.warpnfs.nfs.v4.layout.DataServerAddress.Transport;
import org.warpnfs.nfs.v4.layout.DataServers;

/**
 * Data servers as text.
 *
 * <pre>
 * server  := address [ , address ] ...
 * address := tcp:HOST:PORT | rdma:HOST:PORT
 * HOST    := IPv4 address | [IPv6 address]
 * </pre>
 *
 * Names are refused: clients get addresses, and would get others whenever a name service changes its mind.
 */
public final class DataServerText {
    private DataServerText() {}

    /**
     * Reads all data servers.
     *
     * @param what the setting and its place, for the message
     * @throws ConfigException if a text is not of this form, an address is there twice, or there are too many
     */
    public static DataServers read(String what, List<String> texts, int mirrors) throws ConfigException {
        Set<DataServerAddress> seen = new HashSet<>();
        List<DataServer> servers = new ArrayList<>();
        for (String text : texts) {
            List<DataServerAddress> addresses = new ArrayList<>();
            for (String one : Splitter.on(',').split(text)) {
                DataServerAddress address = address(what, one);
                if (!seen.add(address)) {
                    throw new ConfigException(what + " " + text + ": " + one + " is there twice");
                }
                addresses.add(address);
            }
            if (addresses.size() > DataServer.MAX_ADDRESSES) {
                throw new ConfigException(
                        what + " " + text + ": " + addresses.size() + " addresses, limit " + DataServer.MAX_ADDRESSES);
            }
            servers.add(new DataServer(addresses));
        }
        if (servers.size() > DataServers.MAX_SERVERS) {
            throw new ConfigException(what + ": " + servers.size() + " data servers, limit " + DataServers.MAX_SERVERS);
        }
        return new DataServers(servers, mirrors);
    }

    private static DataServerAddress address(String what, String text) throws ConfigException {
        int first = text.indexOf(':');
        int last = text.lastIndexOf(':');
        if (first <= 0 || last == first) {
            throw new ConfigException(what + " " + text + ": not tcp:ADDRESS:PORT or rdma:ADDRESS:PORT");
        }
        try {
            return new DataServerAddress(
                    transport(text.substring(0, first)),
                    host(text.substring(first + 1, last)),
                    Integer.parseInt(text.substring(last + 1)));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    what + " " + text + ": not tcp:ADDRESS:PORT or rdma:ADDRESS:PORT, with an IPv6 address in brackets",
                    e);
        }
    }

    private static Transport transport(String word) {
        return Transport.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static InetAddress host(String text) {
        boolean bracketed = text.startsWith("[") && text.endsWith("]");
        if (bracketed == (text.indexOf(':') < 0) || text.indexOf('%') >= 0) {
            throw new IllegalArgumentException(text);
        }
        return InetAddress.ofLiteral(bracketed ? text.substring(1, text.length() - 1) : text);
    }
}
