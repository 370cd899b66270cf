package org.warpnfs.server.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.rpcbind.Rpcbind;
import org.warpnfs.server.rpcbind.RpcbindChoice;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Settings;

/**
 * How a server is found by program number.
 *
 * @param chosenBy how messages name who chose it
 */
record RpcbindChoices(String chosenBy, RpcbindChoice choice, boolean mountUdp) {
    /** Not at all. */
    static final RpcbindChoices OFF = new RpcbindChoices("--rpcbind off", new RpcbindChoice.Off(), false);

    /** @throws ConfigException with one line that says what is wrong */
    static RpcbindChoices of(Resolved settings) throws ConfigException {
        String text = settings.get(Settings.RPCBIND);
        String chosenBy = settings.at(Settings.RPCBIND) + " " + text;
        try {
            return new RpcbindChoices(chosenBy, RpcbindChoice.parse(text), settings.get(Settings.MOUNT_UDP));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(chosenBy + ": " + e.getMessage(), e);
        }
    }

    /**
     * Does so for a server that has started.
     *
     * @throws ConfigException with one line that says what is in the way
     */
    Rpcbind start(WarpServer server) throws ConfigException {
        InetSocketAddress udp = mountUdp ? server.mountOverUdp() : null;
        try {
            return Rpcbind.start(choice, new Rpcbind.Addresses(server.rdmaAddress(), server.tcpAddress(), udp));
        } catch (IOException e) {
            throw new ConfigException(chosenBy + ": " + e.getMessage(), e);
        }
    }
}
