package org.warpnfs.server.limits;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.warpnfs.fs.local.DescriptorBudget;

/**
 * What this process may have.
 *
 * @param heapBytes the most that the Java heap grows to; {@code -Xmx}
 * @param directBytes the most memory outside of it that buffers and files in memory take;
 *     {@code -XX:MaxDirectMemorySize}
 * @param containerBytes for all of the process; {@link Long#MAX_VALUE} if nothing limits it
 * @param descriptors RLIMIT_NOFILE
 * @param descriptorsForConnections of those, for sockets
 * @param descriptorsForFiles of those, for files
 */
public record Machine(
        long heapBytes,
        long directBytes,
        long containerBytes,
        int descriptors,
        int descriptorsForConnections,
        int descriptorsForFiles) {
    /** This process. Raises its limit of descriptors as far as it may. */
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

    /** Without the flag, as much as the heap. */
    private static long directBytes(long heapBytes) {
        HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long flag = machine == null
                ? 0
                : Long.parseLong(machine.getVMOption("MaxDirectMemorySize").getValue());
        return flag == 0 ? heapBytes : flag;
    }
}
