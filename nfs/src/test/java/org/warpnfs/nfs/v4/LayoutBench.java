package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.warpnfs.nfs.v4.layout.DataServer;
import org.warpnfs.nfs.v4.layout.DataServerAddress;
import org.warpnfs.nfs.v4.layout.DataServerAddress.Transport;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** A server with two data servers, and what tests of its layouts have in common. */
abstract class LayoutBench {
    static final int READ = 1;
    static final int RW = 2;
    static final int ANY = 3;

    final DataServer one = dataServer("10.0.0.1", 2049);
    final DataServer two = dataServer("10.0.0.2", 2049);
    final V4Server server = V4Server.withLayouts(new DataServers(List.of(one, two), 2));

    static DataServer dataServer(String host, int port) {
        InetAddress address = InetAddress.ofLiteral(host);
        return new DataServer(List.of(
                new DataServerAddress(Transport.RDMA, address, 20049),
                new DataServerAddress(Transport.TCP, address, port)));
    }

    @BeforeEach
    void delegateNothing() {
        server.program().setDelegations(DelegationPolicy.NONE);
    }

    @AfterEach
    void close() {
        server.close();
    }

    static Ops file() {
        return new Ops().data().lookup("f");
    }

    LayoutSeen get(V4Client client, int iomode, int[] stateid) {
        return LayoutSeen.of(client.run(file().layoutGet(iomode, stateid)).afterFile(), iomode);
    }

    /** {@code other} cuts the file, and the holder answers the recall but does not return its layout. */
    void revoke(V4Client holder, V4Client other) {
        assertThat(other.statusOf(file().setAttr(Fattr.size(0)))).isEqualTo(Nfs4Status.DELAY);
        holder.answerRecall(holder.nextCallback(), 0);
        for (int i = 0; i < 2; i++) {
            server.pass(V4Server.LEASE.dividedBy(2).plusSeconds(1));
            other.run(new Ops().root());
            holder.run(new Ops().root());
        }
    }

    V4Client client(String name) {
        return V4Client.callable(server, name, 0);
    }
}
