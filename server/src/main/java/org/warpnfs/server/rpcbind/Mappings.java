package org.warpnfs.server.rpcbind;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.warpnfs.nfs.mount.MountProgram;
import org.warpnfs.nfs.nlm.NlmProgram;
import org.warpnfs.nfs.nlm.NsmProgram;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.NfsAclProgram;
import org.warpnfs.nfs.v4.Nfs4Program;

/** The addresses of a server's programs over all transports. Safe for any thread. */
public final class Mappings {
    private static final List<OncRpcProgram> NFS = List.of(
            new OncRpcProgram(Nfs3Program.PROGRAM, Nfs3Program.VERSION),
            new OncRpcProgram(Nfs4Program.PROGRAM, Nfs4Program.VERSION),
            new OncRpcProgram(NfsAclProgram.PROGRAM, NfsAclProgram.VERSION));
    private static final List<OncRpcProgram> MOUNT = List.of(
            new OncRpcProgram(MountProgram.PROGRAM, MountProgram.VERSION_1),
            new OncRpcProgram(MountProgram.PROGRAM, MountProgram.VERSION_2),
            new OncRpcProgram(MountProgram.PROGRAM, MountProgram.VERSION_3));

    private static final List<OncRpcProgram> LOCKS = List.of(
            new OncRpcProgram(NlmProgram.PROGRAM, NlmProgram.VERSION),
            new OncRpcProgram(NsmProgram.PROGRAM, NsmProgram.VERSION));

    private static final InetAddress ANY_IPV4 = address(new byte[4]);
    private static final InetAddress ANY_IPV6 = address(new byte[16]);

    private final List<Mapping> mappings = new CopyOnWriteArrayList<>();
    private final String owner;
    private final boolean hostHasIpv6;

    /**
     * Creates an empty list.
     *
     * @param owner the owner of the mappings
     * @param hostHasIpv6 whether a listener on every address also listens on IPv6
     */
    public Mappings(String owner, boolean hostHasIpv6) {
        this.owner = owner;
        this.hostHasIpv6 = hostHasIpv6;
    }

    /** Adds NFS and NFS_ACL over RDMA. */
    public Mappings nfsOverRdma(InetSocketAddress address) {
        return add("rdma", address, NFS);
    }

    /** Adds NFS, NFS_ACL and MOUNT over TCP. */
    public Mappings nfsOverTcp(InetSocketAddress address) {
        return add("tcp", address, NFS).add("tcp", address, MOUNT);
    }

    /** Adds MOUNT over UDP. */
    public Mappings mountOverUdp(InetSocketAddress address) {
        return add("udp", address, MOUNT);
    }

    /**
     * Adds NLM and NSM, by which NFSv3 clients lock files.
     *
     * @param protocol {@code tcp} or {@code udp}
     */
    public Mappings nlm(String protocol, InetSocketAddress address) {
        return add(protocol, address, LOCKS);
    }

    /**
     * Adds versions of one program.
     *
     * @param protocol {@code tcp}, {@code udp} or {@code rdma}
     */
    Mappings add(String protocol, InetSocketAddress address, List<OncRpcProgram> programs) {
        InetAddress host = address.getAddress();
        boolean everywhere = host.isAnyLocalAddress();
        for (OncRpcProgram program : programs) {
            if (everywhere || host.getAddress().length == 4) {
                add(program, Netid.of(protocol, false), everywhere ? ANY_IPV4 : host, address.getPort());
            }
            if (everywhere ? hostHasIpv6 : host.getAddress().length != 4) {
                add(program, Netid.of(protocol, true), everywhere ? ANY_IPV6 : host, address.getPort());
            }
        }
        return this;
    }

    private void add(OncRpcProgram program, Netid netid, InetAddress host, int port) {
        // Version 2 of the portmapper supports IPv4 only.
        boolean isPortmap = program.getNumber() == PortmapProgram.PROGRAM && program.getVersion() == 2;
        if (!isPortmap || !netid.isIpv6()) {
            mappings.add(Mapping.of(program.getNumber(), program.getVersion(), netid, host, port, owner));
        }
    }

    public List<Mapping> all() {
        return List.copyOf(mappings);
    }

    /**
     * Returns the mapping of this version, or of another version of the program, which then tells its caller the
     * supported versions.
     */
    Optional<Mapping> find(int program, int version, Netid netid) {
        Optional<Mapping> exact = findExactly(program, version, netid);
        return exact.isPresent()
                ? exact
                : mappings.stream()
                        .filter(mapping ->
                                mapping.program() == program && mapping.netid().equals(netid.id()))
                        .findFirst();
    }

    Optional<Mapping> findExactly(int program, int version, Netid netid) {
        return mappings.stream()
                .filter(mapping -> mapping.program() == program
                        && mapping.version() == version
                        && mapping.netid().equals(netid.id()))
                .findFirst();
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + bytes.length + " bytes is one", e);
        }
    }
}
