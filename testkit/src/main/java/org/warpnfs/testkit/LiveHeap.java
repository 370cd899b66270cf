package org.warpnfs.testkit;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** What this process holds on its heap, for tests of what budgets count. */
public final class LiveHeap {
    private LiveHeap() {}

    /** Bytes of all objects that can be reached, with their headers and padding: the total of a class histogram. */
    public static long bytes() {
        // The last line: Total, instances, bytes.
        String text = histogram().stripTrailing();
        return Long.parseLong(text.substring(text.lastIndexOf(' ') + 1));
    }

    /** The class histogram of the virtual machine, the class with most bytes first. */
    public static String histogram() {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }
}
