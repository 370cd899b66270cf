package org.warpnfs.server.cli;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import org.warpnfs.server.config.ConfigException;

/** Looks up the address of a host from a command line or a setting. */
final class HostAddress {
    private HostAddress() {}

    /**
     * Returns the address of a name or of a numeric address. Waits for the name service.
     *
     * @param what the beginning of the message: the option and its value
     * @throws ConfigException if there is no such host, or the name is empty, which the JDK would take for the loopback
     */
    static InetAddress of(String what, String name) throws ConfigException {
        if (name.isBlank()) {
            throw new ConfigException(what + ": the host is missing");
        }
        try {
            return InetAddress.getByName(name);
        } catch (UnknownHostException e) {
            throw new ConfigException(what + ": " + reason(name), e);
        }
    }

    /** Returns why there is no such address. The JDK says of an address with a zone that it is an unknown host. */
    private static String reason(String name) {
        int zone = name.indexOf('%');
        if (zone < 0 || name.indexOf(':') < 0) {
            return "no such host";
        }
        String link = name.substring(zone + 1);
        return isInterface(link)
                ? "the interface '" + link + "' has no link-local address"
                : "there is no interface '" + link + "'";
    }

    private static boolean isInterface(String name) {
        try {
            return !name.isEmpty() && NetworkInterface.getByName(name) != null;
        } catch (SocketException e) {
            return false;
        }
    }
}
