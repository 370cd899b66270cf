package org.warpnfs.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * A capture of real traffic that comes with the testkit. {@code captures/README.md} describes each capture.
 *
 * @param name file name without its extension
 * @param connections in the order of their SYNs
 */
public record Capture(String name, List<CapturedConnection> connections) {
    public Capture {
        connections = List.copyOf(connections);
    }

    /** Loads {@code NAME.pcap.gz} from the class path. */
    public static Capture load(String name) {
        return new Capture(name, TcpReassembler.connections(PcapReader.read(resource(name))));
    }

    /** Returns the only connection to a responder's port. */
    public CapturedConnection connectionTo(int port) {
        List<CapturedConnection> matching = connections.stream()
                .filter(connection -> connection.responder().getPort() == port)
                .toList();
        if (matching.size() != 1) {
            throw new CaptureFormatException(name + " has " + matching.size() + " connections to port " + port);
        }
        return matching.getFirst();
    }

    private static byte[] resource(String name) {
        String path = "captures/" + name + ".pcap.gz";
        try (InputStream packed = Capture.class.getResourceAsStream(path)) {
            if (packed == null) {
                throw new CaptureFormatException("no capture " + path);
            }
            try (InputStream unpacked = new GZIPInputStream(packed)) {
                return unpacked.readAllBytes();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
