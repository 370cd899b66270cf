package org.warpnfs.server.limits;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.warpnfs.fs.local.DescriptorBudget;

/**
 * The resources of this process.
 *
 * @param heapBytes the largest size of the Java heap; {@code -Xmx}
 * @param directBytes the most direct memory for buffers and files in memory; {@code -XX:MaxDirectMemorySize}
 * @param containerBytes the limit of the whole process; {@link Long#MAX_VALUE} if there is none
 * @param descriptors RLIMIT_NOFILE
 * @param descriptorsForConnections the part of the descriptors for sockets
 * @param descriptorsForFiles the part of the descriptors for files
 */
public record Machine(
        long heapBytes,
        long directBytes,
        long containerBytes,
        int descriptors,
        int descriptorsForConnections,
        int descriptorsForFiles) {
    /** Returns the resources of this process, after raising its limit of descriptors as far as allowed. */
    public static Machine ofProcess() {
        DescriptorBudget descriptors = DescriptorBudget.ofProcess();
        long heapBytes = Runtime.getRuntime().maxMemory();
        return new Machine(
                heapBytes,
                directBytes(heapBytes),
                ContainerMemory.limitBytes(),
                descriptors.limit(),
                descriptors.forConnections(),
                descriptors.forFiles());
    }

    /** Returns the limit of direct memory; without the flag it equals the heap. */
    private static long directBytes(long heapBytes) {
        HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long flag = machine == null
                ? 0
                : Long.parseLong(machine.getVMOption("MaxDirectMemorySize").getValue());
        return flag == 0 ? heapBytes : flag;
    }
}
