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
 * The choices of how clients find a server by program number.
 *
 * @param chosenBy the source of the choice, for messages
 */
record RpcbindChoices(String chosenBy, RpcbindChoice choice, boolean mountUdp) {
    /** Neither registered nor a portmapper. */
    static final RpcbindChoices OFF = new RpcbindChoices("--rpcbind off", new RpcbindChoice.Off(), false);

    /** @throws ConfigException if a setting is wrong; one line says which */
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
     * Registers a started server, or starts its portmapper.
     *
     * @throws ConfigException if that fails; one line gives the reason
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
