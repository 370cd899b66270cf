package org.warpnfs.server.metrics;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.lang.management.OperatingSystemMXBean;
import java.util.Map;
import org.warpnfs.server.log.LogLines;
import org.warpnfs.server.trace.TraceCounts;

/** Values of the virtual machine, and counters of the whole process. */
final class ProcessValues {
    private static final double MILLIS = 1e-3;
    private static final double NANOS = 1e-9;

    private ProcessValues() {}

    static void addTo(Map<String, Number> values) {
        EdgeMetrics.addTo(values);
        TraceCounts traces = TraceCounts.ofProcess();
        values.put("server_traces_sent", traces.sent());
        values.put("server_traces_dropped", traces.dropped());
        values.put("server_traces_failed", traces.failed());
        values.put("server_log_lines_dropped", LogLines.dropped());
        values.put("process_start_seconds", ManagementFactory.getRuntimeMXBean().getStartTime() * MILLIS);
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        values.put("jvm_heap_used_bytes", heap.getUsed());
        values.put("jvm_heap_committed_bytes", heap.getCommitted());
        values.put("jvm_heap_max_bytes", heap.getMax());
        values.put(
                "jvm_direct_used_bytes",
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum());
        values.put("jvm_threads", ManagementFactory.getThreadMXBean().getThreadCount());
        long collections = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += Math.max(0, collector.getCollectionCount());
            millis += Math.max(0, collector.getCollectionTime());
        }
        values.put("jvm_gc_collections", collections);
        values.put("jvm_gc_seconds", millis * MILLIS);
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        if (system instanceof com.sun.management.UnixOperatingSystemMXBean unix) {
            values.put("process_cpu_seconds", unix.getProcessCpuTime() * NANOS);
            values.put("process_open_descriptors", unix.getOpenFileDescriptorCount());
            values.put("process_max_descriptors", unix.getMaxFileDescriptorCount());
        }
    }
}
