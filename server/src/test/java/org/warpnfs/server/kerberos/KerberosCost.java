package org.warpnfs.server.kerberos;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.KerberosChoice;

/**
 * Measures what Kerberos costs the server: the processor time and the heap of this process without those of the
 * client's thread, for READs of NFSv3 over TCP. Not run by default: its name is none of a test. docs/performance.md has
 * the command.
 */
class KerberosCost {
    private static final int NFS = NfsCall.NFS;
    private static final int MOUNT = NfsCall.MOUNT;
    private static final int ROUNDS = 7;
    private static final int FILE_BYTES = 1 << 20;

    private interface Read {
        void run() throws Exception;
    }

    private record Cost(double micros, double heapKib) {}

    private static byte[] opaque(ByteBuffer out) {
        byte[] bytes = new byte[out.position()];
        out.get(0, bytes);
        return bytes;
    }

    private static byte[] arguments(byte[] first, long... words) {
        ByteBuffer out = ByteBuffer.allocate(4 + first.length + 4 + 4 * words.length + 8);
        out.putInt(first.length).put(first).put(new byte[-first.length & 3]);
        for (long word : words) {
            out.putInt((int) word);
        }
        return opaque(out);
    }

    @Test
    void reads_ofEachFlavor_areMeasuredInTurns(@TempDir Path directory) throws Exception {
        try (TestRealm realm = TestRealm.start(directory)) {
            Subject host = realm.login("host/client.test@" + TestRealm.NAME);
            try (WarpServer server = WarpServer.start(InMemory.config(
                                    ":/data,no_root_squash,sec=sys:krb5:krb5i:krb5p", 32 << 20, Duration.ofSeconds(5))
                            .withKerberos(
                                    new KerberosChoice(realm.serverKeytab(), KerberosChoice.ANY, TestRealm.NAME)));
                    GssClient client = new GssClient(server.tcpAddress(), TestRealm.initiate(host))) {
                assertThat(client.init(host)).isZero();
                ByteBuffer mounted =
                        client.call(MOUNT, 3, 1, GssClient.NONE, arguments(new byte[] {'/', 'd', 'a', 't', 'a'}));
                assertThat(mounted.getInt()).isZero();
                byte[] root = GssClient.opaque(mounted);
                ByteBuffer create = ByteBuffer.allocate(256).put(arguments(root));
                create.put(arguments(new byte[] {'f'}, 0, 1, 0666, 0, 0, 0, 0, 0));
                ByteBuffer created = client.call(NFS, 3, 8, GssClient.NONE, opaque(create));
                assertThat(created.getLong()).isEqualTo(1);
                byte[] file = GssClient.opaque(created);
                ByteBuffer write = ByteBuffer.allocate(FILE_BYTES + 256).put(arguments(file, 0, 0, FILE_BYTES, 0));
                write.put(arguments(new byte[FILE_BYTES]));
                client.call(NFS, 3, 7, GssClient.NONE, opaque(write));
                for (int size : new int[] {FILE_BYTES, 4096}) {
                    measure(client, arguments(file, 0, 0, size), size);
                }
            }
        }
    }

    private static void measure(GssClient client, byte[] read, int size) throws Exception {
        Map<String, Read> flavors = new LinkedHashMap<>();
        flavors.put("sys", () -> client.exchange(client.encodeSys(NFS, 3, 6, read)));
        flavors.put("krb5", () -> client.call(NFS, 3, 6, GssClient.NONE, read));
        flavors.put("krb5i", () -> client.call(NFS, 3, 6, GssClient.INTEGRITY, read));
        flavors.put("krb5p", () -> client.call(NFS, 3, 6, GssClient.PRIVACY, read));
        int calls = size == FILE_BYTES ? 200 : 4000;
        Map<String, List<Cost>> costs = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Map.Entry<String, Read> flavor : flavors.entrySet()) {
                Cost cost = cost(flavor.getValue(), calls);
                if (round >= 2) {
                    costs.computeIfAbsent(flavor.getKey(), _ -> new ArrayList<>())
                            .add(cost);
                }
            }
        }
        double sys = median(costs.get("sys").stream().map(Cost::micros).toList());
        costs.forEach((flavor, all) -> {
            double micros = median(all.stream().map(Cost::micros).toList());
            System.out.printf(
                    "READ of %d bytes, %s: server %.0f us, %.2f of sys, heap %.0f KiB%n",
                    size,
                    flavor,
                    micros,
                    micros / sys,
                    median(all.stream().map(Cost::heapKib).toList()));
        });
    }

    private static Cost cost(Read read, int calls) throws Exception {
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allCpu = process.getProcessCpuTime();
        long ownCpu = threads.getCurrentThreadCpuTime();
        long allHeap = threads.getTotalThreadAllocatedBytes();
        long ownHeap = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < calls; i++) {
            read.run();
        }
        double cpu = process.getProcessCpuTime() - allCpu - (threads.getCurrentThreadCpuTime() - ownCpu);
        double heap =
                threads.getTotalThreadAllocatedBytes() - allHeap - (threads.getCurrentThreadAllocatedBytes() - ownHeap);
        return new Cost(cpu / 1000 / calls, heap / 1024 / calls);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
