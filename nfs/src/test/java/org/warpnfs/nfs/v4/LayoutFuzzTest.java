package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.warpnfs.nfs.v4.layout.DataServer;
import org.warpnfs.nfs.v4.layout.DataServerAddress;
import org.warpnfs.nfs.v4.layout.DataServerAddress.Transport;
import org.warpnfs.nfs.v4.layout.DataServerCounts;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Operations of pNFS with any arguments. Each is answered with a status of its own, no client loses what another has,
 * and no claim makes a sum wrong.
 */
class LayoutFuzzTest {
    private static final int RW = 2;
    private static final int MOST_BYTES = 4096;
    private static final int ID_BYTES = 16;
    /** Sixteen of one stand for the stateid of an open, that of a layout, and the id of the data server. */
    private static final byte OPEN = 'O';

    private static final byte LAYOUT = 'L';
    private static final byte DEVICE = 'D';
    private static final List<OpCode> OPERATIONS = List.of(
            OpCode.LAYOUTGET,
            OpCode.LAYOUTRETURN,
            OpCode.LAYOUTCOMMIT,
            OpCode.LAYOUTERROR,
            OpCode.LAYOUTSTATS,
            OpCode.GETDEVICEINFO);

    private static byte[] with(byte[] arguments, byte mark, byte[] id) {
        byte[] whole = arguments.clone();
        int same = 0;
        for (int at = 0; at < whole.length; at++) {
            same = whole[at] == mark ? same + 1 : 0;
            if (same == ID_BYTES) {
                System.arraycopy(id, 0, whole, at + 1 - ID_BYTES, ID_BYTES);
                same = 0;
            }
        }
        return whole;
    }

    private static byte[] bytes(int[] stateid) {
        ByteBuffer bytes = ByteBuffer.allocate(ID_BYTES);
        bytes.asIntBuffer().put(stateid);
        return bytes.array();
    }

    private static int[] layout(V4Client client, int[] open) {
        Reply reply =
                client.run(new Ops().data().lookup("f").layoutGet(RW, open)).afterFile();
        reply.op(OpCode.LAYOUTGET);
        reply.word();
        return reply.stateid();
    }

    /** The first byte is the operation; the arguments follow. */
    @FuzzTest
    void anyArguments_ofLayouts_areAnsweredAndEndNothingOfOthers(byte[] input) {
        if (input.length == 0 || input.length > MOST_BYTES) {
            return;
        }
        DataServer device =
                new DataServer(List.of(new DataServerAddress(Transport.TCP, InetAddress.ofLiteral("10.0.0.1"), 2049)));
        try (V4Server server = V4Server.withLayouts(new DataServers(List.of(device), 1))) {
            server.program().setDelegations(DelegationPolicy.NONE);
            V4Client client = V4Client.callable(server, "a", 0);
            int[] open = client.create("f");
            int[] mine = layout(client, open);
            V4Client other = V4Client.callable(server, "b", 0);
            int[] others = layout(other, other.open("o", "f", 3));
            byte[] id = ByteBuffer.allocate(ID_BYTES)
                    .putLong(device.id().high())
                    .putLong(device.id().low())
                    .array();
            byte[] arguments = with(Arrays.copyOfRange(input, 1, input.length), OPEN, bytes(open));
            byte[] whole = with(with(arguments, LAYOUT, bytes(mine)), DEVICE, id);
            OpCode operation = OPERATIONS.get(Byte.toUnsignedInt(input[0]) % OPERATIONS.size());

            Nfs4Status status = client.statusOf(new Ops().data().lookup("f").add(operation, call -> call.bytes(whole)));

            assertThat(status).isNotIn(Nfs4Status.SERVERFAULT, Nfs4Status.NOTSUPP, Nfs4Status.OP_ILLEGAL);
            assertThat(other.tested(others)).isEqualTo(Nfs4Status.OK);
            DataServerCounts counts = server.program().dataServerCounts().getFirst();
            assertThat(counts.errors()).isBetween(0L, (long) MOST_BYTES);
            assertThat(List.of(
                            counts.use().reads(),
                            counts.use().readBytes(),
                            counts.use().writes(),
                            counts.use().writtenBytes()))
                    .allMatch(number -> number >= 0);
        }
    }
}
