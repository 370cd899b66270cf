package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Updates the entries of rpcbind for this server.
 *
 * <p>A registration of one of this server's programs at a port where nothing listens was left behind by a killed
 * server, and is removed. A registration at a port where something listens belongs to another server, and stays.
 */
final class Registrations {
    private static final int LOOK_MILLIS = 1000;
    /** The most addresses that are tried in one check, because the start of the server waits for it. */
    private static final int MOST_LOOKS = 8;

    private final List<Mapping> wanted;
    private final Set<Integer> ownPorts;

    Registrations(List<Mapping> wanted) {
        this.wanted = List.copyOf(wanted);
        this.ownPorts = wanted.stream().map(Mapping::port).collect(Collectors.toSet());
    }

    /**
     * The result of an update.
     *
     * @param added the added registrations
     * @param removed the removed ones of a killed server
     * @param refused the ones that rpcbind refuses, or has for another server
     */
    record Outcome(List<Mapping> added, List<Mapping> removed, List<Mapping> refused) {}

    /** Adds missing registrations and removes those of a killed server. */
    Outcome make(RpcbindClient rpcbind) throws IOException {
        Outcome outcome = new Outcome(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<Mapping> listed = rpcbind.dump();
        Set<Integer> programs = wanted.stream().map(Mapping::program).collect(Collectors.toSet());
        // A port that does not answer takes long, so each is tried once.
        Map<String, Boolean> looked = new HashMap<>();
        for (Mapping mapping : listed) {
            if (programs.contains(mapping.program())
                    && !isWanted(mapping)
                    && looked.size() < MOST_LOOKS
                    && !looked.computeIfAbsent(
                            mapping.netid() + " " + mapping.address(), where -> somebodyListens(mapping))
                    && rpcbind.unset(mapping)) {
                outcome.removed.add(mapping);
            }
        }
        for (Mapping mapping : wanted) {
            boolean isThere = listed.stream().anyMatch(other -> isSame(mapping, other));
            if (!isThere) {
                (rpcbind.set(mapping) ? outcome.added : outcome.refused).add(mapping);
            }
        }
        return outcome;
    }

    /** Removes the registrations of this server. */
    void withdraw(RpcbindClient rpcbind) throws IOException {
        for (Mapping mapping : rpcbind.dump()) {
            if (isWanted(mapping)) {
                rpcbind.unset(mapping);
            }
        }
    }

    private boolean isWanted(Mapping mapping) {
        return wanted.stream().anyMatch(own -> isSame(own, mapping));
    }

    private static boolean isSame(Mapping own, Mapping other) {
        return own.isKin(other) && own.address().equals(other.address());
    }

    /** Returns whether something listens at the address; true if in doubt. */
    private boolean somebodyListens(Mapping mapping) {
        Optional<Netid> netid = mapping.knownNetid();
        Optional<InetSocketAddress> address = UniversalAddress.parse(mapping.address());
        if (netid.isEmpty() || address.isEmpty()) {
            return true;
        }
        if (netid.get().protocol().equals("udp")) {
            return isTaken(address.get().getPort());
        }
        // The port belongs to this server, which does not serve this program there.
        return !ownPorts.contains(address.get().getPort()) && accepts(address.get());
    }

    private static boolean isTaken(int port) {
        try (DatagramSocket _ = new DatagramSocket(port)) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Returns whether an address belongs to this host. Any local user may register any address, so the server connects
     * only to its own host.
     */
    static boolean isOfThisHost(InetAddress address) {
        try {
            return address.isAnyLocalAddress()
                    || address.isLoopbackAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private static boolean accepts(InetSocketAddress address) {
        if (!isOfThisHost(address.getAddress())) {
            return true;
        }
        InetAddress host =
                address.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address.getAddress();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, address.getPort()), LOOK_MILLIS);
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
