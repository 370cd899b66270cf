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
 * Makes what rpcbind lists what it should list of this server.
 *
 * <p>A registration where nobody listens, of a program that this server has, is one that a server left behind that was
 * killed: it is removed. One where somebody listens is another server's, and stays.
 */
final class Registrations {
    private static final int LOOK_MILLIS = 1000;
    /** Addresses that are tried in one look: the start of the server waits for it. */
    private static final int MOST_LOOKS = 8;

    private final List<Mapping> wanted;
    private final Set<Integer> ownPorts;

    Registrations(List<Mapping> wanted) {
        this.wanted = List.copyOf(wanted);
        this.ownPorts = wanted.stream().map(Mapping::port).collect(Collectors.toSet());
    }

    /**
     * What was found and done.
     *
     * @param added that were not there
     * @param removed that were left behind
     * @param refused that rpcbind does not take, or has for another server
     */
    record Outcome(List<Mapping> added, List<Mapping> removed, List<Mapping> refused) {}

    /** Adds what is missing and removes what was left behind. */
    Outcome make(RpcbindClient rpcbind) throws IOException {
        Outcome outcome = new Outcome(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<Mapping> listed = rpcbind.dump();
        Set<Integer> programs = wanted.stream().map(Mapping::program).collect(Collectors.toSet());
        // A port that does not answer takes its time: one look at each will do.
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

    /** Removes what is there of this server. */
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

    /** On doubt, yes. */
    private boolean somebodyListens(Mapping mapping) {
        Optional<Netid> netid = mapping.knownNetid();
        Optional<InetSocketAddress> address = UniversalAddress.parse(mapping.address());
        if (netid.isEmpty() || address.isEmpty()) {
            return true;
        }
        if (netid.get().protocol().equals("udp")) {
            return isTaken(address.get().getPort());
        }
        // The port is this server's, which does not serve this.
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
     * Any user of this host may register any address: the server does not connect to others because somebody has
     * written them there.
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
