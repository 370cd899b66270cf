package org.warpnfs.server.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.warpnfs.rpcrdma.oncrpc.OpenConnection;
import org.warpnfs.server.metrics.CallTotals;
import org.warpnfs.server.watch.Throughput;

/**
 * The activity of the server since its start. A reader takes the difference of two answers.
 *
 * @param nanos the time of this answer, from a monotonic clock
 * @param operations procedures and operations that were called at least once; a COMPOUND and its operations have
 *     separate rows
 * @param transports the transports by name
 * @param clients the clients with the latest calls, at most {@value #MAX_CLIENTS}
 * @param pressure the use of each budget, as in {@code /v1/status}
 */
record Activity(
        long nanos,
        List<Operation> operations,
        Map<String, Transport> transports,
        List<ClientCalls> clients,
        Object pressure,
        Object waiting) {
    static final int MAX_CLIENTS = 1000;

    /**
     * A procedure or an operation over one transport.
     *
     * @param level {@code call}, or {@code operation} of a COMPOUND
     * @param transport {@code rdma}, {@code tcp} or {@code udp}
     * @param nanos the sum of all times
     * @param errors the number of calls that ended with another status than OK
     */
    record Operation(
            String level,
            String program,
            String version,
            String operation,
            String transport,
            long count,
            long nanos,
            long errors) {}

    /**
     * A transport.
     *
     * @param calls the number of answered calls
     * @param nanos the sum of the times from a call's first thread to its reply
     */
    record Transport(int connections, long calls, long nanos, long receivedBytes, long sentBytes) {}

    /**
     * A client by address, over all transports and versions.
     *
     * @param calls the number of calls on its open connections
     */
    record ClientCalls(String client, int connections, long calls) {}

    static Activity of(Administered administered) {
        Map<String, Number> counters = administered.watch().counters();
        Map<String, List<OpenConnection>> connections = administered.server().connections();
        Map<String, Transport> transports = new TreeMap<>();
        administered.server().answered().forEach((name, answered) -> {
            Throughput throughput = Throughput.of(name, counters);
            transports.put(
                    name,
                    new Transport(
                            connections.getOrDefault(name, List.of()).size(),
                            answered.count(),
                            answered.nanos(),
                            throughput.receivedBytes(),
                            throughput.sentBytes()));
        });
        Map<String, Object> summary = administered.watch().summary();
        return new Activity(
                System.nanoTime(),
                administered.watch().callsByTransport().stream()
                        .map(Activity::operation)
                        .toList(),
                transports,
                clients(connections),
                summary.getOrDefault("pressure", List.of()),
                summary.getOrDefault("waiting", Map.of()));
    }

    private static Operation operation(CallTotals total) {
        return new Operation(
                switch (total.what().level()) {
                    case CALL -> "call";
                    case OPERATION -> "operation";
                },
                total.what().program(),
                total.what().version(),
                total.what().operation(),
                total.transport(),
                total.count(),
                total.nanos(),
                total.errors());
    }

    private static List<ClientCalls> clients(Map<String, List<OpenConnection>> connections) {
        Map<String, List<OpenConnection>> byClient = new HashMap<>();
        connections
                .values()
                .forEach(open -> open.forEach(connection -> byClient.computeIfAbsent(
                                connection.client().toString(), _ -> new ArrayList<>())
                        .add(connection)));
        Comparator<OpenConnection> byLastCall = Comparator.comparing(OpenConnection::lastCall);
        return byClient.entrySet().stream()
                .sorted(Map.Entry.<String, List<OpenConnection>>comparingByValue(Comparator.comparing(
                                (List<OpenConnection> open) ->
                                        open.stream().max(byLastCall).orElseThrow(),
                                byLastCall))
                        .reversed())
                .limit(MAX_CLIENTS)
                .map(entry -> new ClientCalls(
                        entry.getKey(),
                        entry.getValue().size(),
                        entry.getValue().stream()
                                .mapToLong(OpenConnection::calls)
                                .sum()))
                .toList();
    }
}
