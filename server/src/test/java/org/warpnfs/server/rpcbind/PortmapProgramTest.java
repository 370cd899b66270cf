package org.warpnfs.server.rpcbind;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.InetAddresses;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.UdpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.rpcrdma.udp.UdpOptions;

/**
 * The server's own portmapper, called over sockets: with calls of a real rpcinfo, and with calls encoded word by word.
 */
class PortmapProgramTest {
    private static final InetSocketAddress ANYWHERE = new InetSocketAddress(111);
    private static final int NFS = 100_003;
    private static final int MOUNT = 100_005;
    private static final int PROC_UNAVAIL = 3;
    private static final int GARBAGE_ARGS = 4;
    private static final int SYSTEM_ERR = 5;

    private final OperationThreads threads = new OperationThreads(1);
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable service : opened) {
            service.close();
        }
        threads.close();
    }

    private static Mappings own() {
        Mappings mappings = new Mappings("superuser", true);
        return mappings.add("tcp", ANYWHERE, PortmapService.programs()).add("udp", ANYWHERE, PortmapService.programs());
    }

    private static Mappings served() {
        return own().nfsOverTcp(new InetSocketAddress(2049)).nfsOverRdma(new InetSocketAddress(20_049));
    }

    private Socket tcp(Mappings mappings, String host) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddresses.forString(host), 0);
        TcpRpcService service = TcpRpcService.start(
                address,
                PortmapService.versions(new PortmapProgram("tcp", mappings, new PortmapCounts())),
                threads,
                TcpOptions.DEFAULT,
                transport -> {});
        opened.addFirst(service);
        Socket socket = new Socket(address.getAddress(), service.localAddress().getPort());
        socket.setSoTimeout(60_000);
        opened.addFirst(socket);
        return socket;
    }

    private DatagramSocket udp(Mappings mappings) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddresses.forString("127.0.0.1"), 0);
        UdpRpcService service = UdpRpcService.start(
                address,
                PortmapService.versions(new PortmapProgram("udp", mappings, new PortmapCounts())),
                threads,
                UdpOptions.DEFAULT);
        opened.addFirst(service);
        DatagramSocket socket = new DatagramSocket();
        socket.connect(service.localAddress());
        socket.setSoTimeout(60_000);
        opened.addFirst(socket);
        return socket;
    }

    private static byte[] ask(Socket socket, byte[] call) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.write(ByteBuffer.allocate(4 + call.length)
                .putInt(1 << 31 | call.length)
                .put(call)
                .array());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] reply = new byte[in.readInt() & ~(1 << 31)];
        in.readFully(reply);
        return reply;
    }

    private static byte[] ask(DatagramSocket socket, byte[] call) throws IOException {
        socket.send(new DatagramPacket(call, call.length));
        DatagramPacket reply = new DatagramPacket(new byte[65_536], 65_536);
        socket.receive(reply);
        return Arrays.copyOf(reply.getData(), reply.getLength());
    }

    private static RpcReplyMessage ask(Socket socket, RpcCallMessage call) throws IOException {
        return new RpcReplyMessage(ask(socket, call.toBytes()), call.xid());
    }

    /** Returns the accept_stat. */
    private static int status(byte[] reply) {
        return ByteBuffer.wrap(reply).getInt(20);
    }

    private static RpcCallMessage call(int version, int procedure) {
        return new RpcCallMessage(PortmapProgram.PROGRAM, version, procedure);
    }

    private static RpcCallMessage lookup(int version, int procedure, int program, int ofVersion, String netid) {
        return call(version, procedure).mapping(new Mapping(program, ofVersion, netid, "", ""));
    }

    @Test
    void transportThatIsOff_isNotToBeFound() {
        InetSocketAddress address = new InetSocketAddress(2049);
        assertThat(new Rpcbind.Addresses(null, address, null, false, true)
                        .mappings("")
                        .all())
                .extracting(Mapping::netid)
                .containsOnly("tcp", "tcp6");
        assertThat(new Rpcbind.Addresses(address, null, null, false, true)
                        .mappings("")
                        .all())
                .extracting(Mapping::netid)
                .containsOnly("rdma", "rdma6");
    }

    @Test
    void callsOfRpcinfo_areAnsweredAsRpcbindDid() throws Exception {
        Socket tcp = tcp(own(), "127.0.0.1");
        Socket tcp6 = tcp(own(), "::1");
        DatagramSocket udp = udp(own());
        int compared = 0;
        for (String line : lines()) {
            String[] words = line.split(" ", -1);
            byte[] call = HexFormat.of().parseHex(words[3]);
            byte[] expected = HexFormat.of().parseHex(words[4]);
            byte[] reply =
                    switch (words[0]) {
                        case "tcp" -> ask(tcp, call);
                        case "tcp6" -> ask(tcp6, call);
                        default -> ask(udp, call);
                    };
            if (words[1].equals("3") && words[2].equals("4")) {
                assertThat(mappings(reply))
                        .as("DUMP, without what rpcbind has beside: a local socket")
                        .containsExactlyInAnyOrderElementsOf(mappings(expected).stream()
                                .filter(mapping -> !mapping.netid().equals("local"))
                                .toList());
            } else if (words[2].equals("12")) {
                assertThat(status(reply)).isEqualTo(status(expected));
                assertThat(reply.length).as("GETSTAT with empty lists").isEqualTo(24 + 3 * 17 * 4);
            } else {
                assertThat(reply).as(line).isEqualTo(expected);
            }
            compared++;
        }
        assertThat(compared).isGreaterThan(15);
    }

    private static List<String> lines() throws IOException {
        try (var in = Objects.requireNonNull(PortmapProgramTest.class.getResourceAsStream("rpcinfo.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    private static List<Mapping> mappings(byte[] reply) throws IOException {
        RpcReplyMessage words =
                new RpcReplyMessage(reply, ByteBuffer.wrap(reply).getInt());
        List<Mapping> mappings = new ArrayList<>();
        while (words.bool()) {
            mappings.add(words.mapping());
        }
        return mappings;
    }

    @Test
    void getport_programs_areFoundByProtocol() throws Exception {
        Socket socket = tcp(served(), "127.0.0.1");
        int tcp = 6;
        int udp = 17;
        assertThat(ask(socket, call(2, 3).word(NFS).word(3).word(tcp).word(0)).word())
                .isEqualTo(2049);
        assertThat(ask(socket, call(2, 3).word(MOUNT).word(3).word(tcp).word(0)).word())
                .isEqualTo(2049);
        assertThat(ask(socket, call(2, 3).word(NFS).word(2).word(tcp).word(0)).word())
                .as("another version says itself that it is not that one")
                .isEqualTo(2049);
        assertThat(ask(socket, call(2, 3).word(MOUNT).word(3).word(udp).word(0)).word())
                .isZero();
        assertThat(ask(socket, call(2, 3).word(100_021).word(4).word(tcp).word(0))
                        .word())
                .isZero();
    }

    @Test
    void getaddr_ofRdmaOverTcp_isWhereTheCallWent() throws Exception {
        Socket socket = tcp(served(), "127.0.0.1");
        assertThat(ask(socket, lookup(4, 3, NFS, 3, "rdma")).string()).isEqualTo("127.0.0.1.78.81");
        assertThat(ask(socket, lookup(3, 3, NFS, 4, "tcp")).string()).isEqualTo("127.0.0.1.8.1");
        assertThat(ask(socket, lookup(3, 3, NFS, 4, "")).string()).isEqualTo("127.0.0.1.8.1");
        assertThat(ask(socket, lookup(4, 3, NFS, 3, "rdma6")).string()).isEqualTo("::.78.81");
        assertThat(ask(socket, lookup(4, 3, NFS, 2, "rdma")).string()).isEqualTo("127.0.0.1.78.81");
        assertThat(ask(socket, lookup(4, 9, NFS, 2, "rdma")).string()).isEmpty();
        assertThat(ask(socket, lookup(4, 9, NFS, 4, "rdma")).string()).isEqualTo("127.0.0.1.78.81");
        assertThat(ask(socket, lookup(4, 3, 100_021, 4, "tcp")).string()).isEmpty();
        Socket over6 = tcp(served(), "::1");
        assertThat(ask(over6, lookup(4, 3, NFS, 3, "rdma6")).string()).isEqualTo("::1.78.81");
        assertThat(ask(over6, lookup(4, 3, NFS, 3, "")).string()).isEqualTo("::1.8.1");
    }

    @Test
    void setAndUnset_byAnybody_changeNothing() throws Exception {
        Mappings mappings = served();
        List<Mapping> before = mappings.all();
        Socket socket = tcp(mappings, "127.0.0.1");
        long refused = PortmapTotals.refused();
        for (int procedure : new int[] {1, 2}) {
            assertThat(ask(socket, call(2, procedure).word(NFS).word(3).word(6).word(666))
                            .bool())
                    .isFalse();
            assertThat(ask(socket, lookup(3, procedure, NFS, 3, "tcp")).bool()).isFalse();
            assertThat(ask(socket, lookup(4, procedure, 400_000, 1, "tcp")).bool())
                    .isFalse();
        }
        assertThat(mappings.all()).isEqualTo(before);
        assertThat(PortmapTotals.refused() - refused).isGreaterThanOrEqualTo(6);
        assertThat(PortmapTotals.calls(4)).isPositive();
    }

    @Test
    void callsToOthersInSomebodysName_areNotMade() throws Exception {
        Socket socket = tcp(served(), "127.0.0.1");
        DatagramSocket datagrams = udp(served());
        for (int version = 2; version <= 4; version++) {
            byte[] callit =
                    call(version, 5).word(MOUNT).word(3).word(0).string("").toBytes();
            assertThat(status(ask(socket, callit))).isEqualTo(PROC_UNAVAIL);
            assertThat(status(ask(datagrams, callit))).isEqualTo(PROC_UNAVAIL);
        }
        byte[] indirect = call(4, 10).word(MOUNT).word(3).word(0).string("").toBytes();
        assertThat(status(ask(socket, indirect))).isEqualTo(PROC_UNAVAIL);
        assertThat(status(ask(datagrams, indirect))).isEqualTo(PROC_UNAVAIL);
    }

    @Test
    void dumpOverUdp_longerThanIsFair_isRefused_andOverTcpWhole() throws Exception {
        byte[] dump = call(4, 4).toBytes();
        assertThat(status(ask(udp(served()), dump))).isEqualTo(SYSTEM_ERR);
        assertThat(mappings(ask(tcp(served(), "127.0.0.1"), dump))).hasSize(10 + 12 + 6);
    }

    @Test
    void argumentsThatLie_areGarbage() throws Exception {
        Socket socket = tcp(served(), "127.0.0.1");
        for (int length : new int[] {-1, Integer.MAX_VALUE, 5, 1 << 30}) {
            byte[] call = call(4, 3).word(NFS).word(3).word(length).toBytes();
            assertThat(status(ask(socket, call)))
                    .as("netid of %d bytes", length)
                    .isEqualTo(GARBAGE_ARGS);
        }
        assertThat(status(ask(socket, call(2, 3).word(NFS).toBytes()))).isEqualTo(GARBAGE_ARGS);
        assertThat(ask(socket, lookup(4, 3, NFS, 3, "no such netid")).string()).isEqualTo("127.0.0.1.8.1");
    }

    @Test
    void mappings_oneAddress_areThoseOfItsFamily() throws UnknownHostException {
        InetSocketAddress four = new InetSocketAddress(InetAddress.getByName("192.0.2.7"), 2049);
        InetSocketAddress six = new InetSocketAddress(InetAddress.getByName("2001:db8::7"), 2049);
        assertThat(new Mappings("", true).nfsOverTcp(four).all())
                .hasSize(6)
                .allMatch(mapping ->
                        mapping.netid().equals("tcp") && mapping.address().equals("192.0.2.7.8.1"));
        assertThat(new Mappings("", false).nfsOverRdma(six).all())
                .hasSize(3)
                .allMatch(mapping ->
                        mapping.netid().equals("rdma6") && mapping.address().equals("2001:db8::7.8.1"));
        assertThat(new Mappings("", false)
                        .nfsOverTcp(new InetSocketAddress(2049))
                        .all())
                .hasSize(6)
                .allMatch(mapping -> mapping.netid().equals("tcp"));
    }
}
