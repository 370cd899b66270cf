package org.warpnfs.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * A network namespace whose loopback has the MTU of Ethernet, so that TCP's segments have 1448 bytes. They never have
 * on the loopback of a host.
 *
 * <h2>Operation</h2>
 *
 * The thread that creates it enters it, and so do the threads and processes that this thread starts. They cannot reach
 * sockets of threads that were there before. The thread leaves it by {@link #close()}.
 *
 * <h2>Errors</h2>
 *
 * An {@link AssertionError} if there is none. It takes root and ip(8).
 */
public final class OwnNetwork implements AutoCloseable {
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final FunctionDescriptor OF_INT = FunctionDescriptor.of(JAVA_INT, JAVA_INT);

    private final int before;

    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    public OwnNetwork() {
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle open = function("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
            before = checked("open", (int) open.invoke(arena.allocateFrom("/proc/thread-self/ns/net"), 0));
            checked("unshare", (int) function("unshare", OF_INT).invoke(CLONE_NEWNET));
            Process ip = new ProcessBuilder("ip", "link", "set", "lo", "mtu", "1500", "up")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            checked("ip link set lo mtu 1500 up: " + said, -ip.waitFor());
        } catch (Throwable e) {
            throw new AssertionError("no network of its own, which takes root and ip(8)", e);
        }
    }

    /** Whether this process may create one, which it says if not. */
    public static boolean permitted() {
        boolean root = System.getProperty("user.name").equals("root");
        if (!root) {
            System.out.println("Tests with short TCP segments are left out: only root makes network namespaces.");
        }
        return root;
    }

    private static MethodHandle function(String name, FunctionDescriptor type) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }

    private static int checked(String what, int result) throws IOException {
        if (result < 0) {
            throw new IOException(what);
        }
        return result;
    }

    @Override
    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    public void close() throws IOException {
        try {
            FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT);
            checked("setns", (int) function("setns", type).invoke(before, CLONE_NEWNET));
            checked("close", (int) function("close", OF_INT).invoke(before));
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
