package org.warpnfs.server.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.warpnfs.server.config.ConfigException;

/** The address of a host that a command line or a setting names. */
final class HostAddress {
    private HostAddress() {}

    /**
     * Looks a name up; a literal is what it says. Waits for the name service.
     *
     * @param what how the message begins: the option, and what it says
     * @throws ConfigException if there is no such host; nobody is meant by an empty name, which the JDK takes for the
     *     loopback
     */
    static InetAddress of(String what, String name) throws ConfigException {
        if (name.isBlank()) {
            throw new ConfigException(what + ": the host is missing");
        }
        try {
            return InetAddress.getByName(name);
        } catch (UnknownHostException e) {
            throw new ConfigException(what + ": no such host", e);
        }
    }
}
