package org.warpnfs.tools.bench.scale;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.Connections;

/**
 * Many connections to one server, each with a session and the file open. They come from several addresses of loopback,
 * as those of many hosts do: a server gives one address a part of its limits only.
 */
final class Clients implements AutoCloseable {
    /** What a server permits an address by default. */
    static final int CONNECTIONS_OF_ADDRESS = 256;

    private static final int FIRST_ADDRESS = 2;
    private static final int ADDRESSES_OF_BYTE = 250;

    private final List<Connections> groups = new ArrayList<>();

    private Clients() {}

    /** The number of addresses that so many connections come from. */
    static int addresses(int connections) {
        return (connections + CONNECTIONS_OF_ADDRESS - 1) / CONNECTIONS_OF_ADDRESS;
    }

    /**
     * Opens connections.
     *
     * @param options the options of so many connections of one address
     */
    static Clients open(int number, IntFunction<BenchOptions> options) throws BenchException {
        Clients clients = new Clients();
        try {
            int addresses = addresses(number);
            for (int i = 0; i < addresses; i++) {
                int share = (int) ((long) number * (i + 1) / addresses - (long) number * i / addresses);
                Connections group = new Connections(options.apply(share), address(i));
                clients.groups.add(group);
                group.connect();
                for (Connections.Connection connection : group.all()) {
                    connection.session().open(ScaleServer.FILE);
                }
            }
            return clients;
        } catch (IOException | BenchException e) {
            int opened = clients.all().size();
            clients.close();
            throw new BenchException("after " + opened + " connections: " + e.getMessage(), e);
        }
    }

    private static InetAddress address(int number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {
            127, 0, (byte) (number / ADDRESSES_OF_BYTE), (byte) (FIRST_ADDRESS + number % ADDRESSES_OF_BYTE)
        });
    }

    List<Connections.Connection> all() {
        return groups.stream().flatMap(group -> group.all().stream()).toList();
    }

    @Override
    public void close() {
        groups.forEach(Connections::close);
    }
}
