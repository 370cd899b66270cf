package org.warpnfs.server.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.DataPath.OnOff;
import org.warpnfs.server.rpcbind.Rpcbind;
import org.warpnfs.server.rpcbind.RpcbindChoice;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Settings;

/**
 * The choices of how clients find a server by program number.
 *
 * @param chosenBy the source of the choice, for messages
 * @param nlm whether NFSv3 clients find NLM and NSM
 */
record RpcbindChoices(String chosenBy, RpcbindChoice choice, boolean mountUdp, boolean nlm) {
    private static final Logger LOG = LoggerFactory.getLogger(RpcbindChoices.class);
    /** Neither registered nor a portmapper. */
    static final RpcbindChoices OFF = new RpcbindChoices("--rpcbind off", new RpcbindChoice.Off(), false, false);

    /** @throws ConfigException if a setting is wrong; one line says which */
    static RpcbindChoices of(Resolved settings) throws ConfigException {
        String text = settings.get(Settings.RPCBIND);
        String chosenBy = settings.at(Settings.RPCBIND) + " " + text;
        try {
            return new RpcbindChoices(
                    chosenBy,
                    RpcbindChoice.parse(text),
                    settings.get(Settings.MOUNT_UDP),
                    settings.get(Settings.NLM) == OnOff.ON);
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
        boolean findsNlm = nlm && server.tcpAddress() != null && !(choice instanceof RpcbindChoice.Off);
        InetSocketAddress udp = mountUdp ? server.overUdp(true, findsNlm) : findsNlm ? nlmOverUdp(server) : null;
        try {
            Rpcbind.Addresses addresses =
                    new Rpcbind.Addresses(server.rdmaAddress(), server.tcpAddress(), udp, mountUdp, findsNlm);
            Rpcbind rpcbind = Rpcbind.start(choice, addresses);
            server.tellOfRestart();
            return rpcbind;
        } catch (IOException e) {
            throw new ConfigException(chosenBy + ": " + e.getMessage(), e);
        }
    }

    /** Null if that port is not free: clients that use TCP lock all the same. */
    private static @Nullable InetSocketAddress nlmOverUdp(WarpServer server) {
        try {
            return server.overUdp(false, true);
        } catch (ConfigException e) {
            LOG.warn("{}: NFSv3 clients cannot tell by UDP that they have restarted", e.getMessage());
            return null;
        }
    }
}
