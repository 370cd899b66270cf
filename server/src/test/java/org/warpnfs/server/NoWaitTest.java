package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.reflect.ClassPath;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.warpnfs.server.CallGraph.Method;

/**
 * Nobody waits for a file, a name service, a process, a thread or a backend under a lock that others need, on an event
 * loop, or on the thread of a timer. What such code calls is followed through the whole server.
 */
class NoWaitTest {
    private static final String RELOADS = "only reloads and the end of the server need this lock";
    private static final String HANDLES =
            "writes to the page cache; only for file systems without handles of their own, on threads of lanes";

    private static final String CLUSTER = "a gateway whose cluster does not answer ends after three dead times";

    /** What waits under a lock all the same, with the reason. */
    private static final Map<String, String> UNDER_LOCK = Map.ofEntries(
            Map.entry("org.warpnfs.fs.local.HandleLog.append", HANDLES),
            Map.entry("org.warpnfs.fs.local.HandleLog.close", "the end of the file system"),
            Map.entry("org.warpnfs.fs.local.HandleLog.writeAll", "as append; syncs once for thousands of records"),
            Map.entry("org.warpnfs.fs.local.TableHandles.evict", HANDLES),
            Map.entry("org.warpnfs.fs.local.TableHandles.forget", HANDLES),
            Map.entry("org.warpnfs.fs.local.TableHandles.remember", HANDLES),
            Map.entry("org.warpnfs.nfs.export.ExportTable.replace", RELOADS),
            Map.entry(
                    "org.warpnfs.nfs.nlm.StatusMonitor.settle {synchronized}",
                    "whoever comes needs the end of the reclaims to be written"),
            Map.entry(
                    "org.warpnfs.nfs.v4.state.file.BackendLease.end",
                    "whoever else ends the lease needs it to have ended; the lock of the state is not held"),
            Map.entry("org.warpnfs.nfs.v4.state.recovery.ClusterRecoveryLog.close", "the end of the server"),
            Map.entry("org.warpnfs.nfs.v4.state.recovery.ClusterRecoveryLog.enter", CLUSTER),
            Map.entry("org.warpnfs.nfs.v4.state.recovery.ClusterRecoveryLog.write {synchronized}", CLUSTER),
            Map.entry("org.warpnfs.nfs.v4.state.recovery.RecoveryJournal.close", "whoever waits needs the batch"),
            Map.entry("org.warpnfs.nfs.v4.state.recovery.RecoveryJournal.flush", "whoever waits needs the batch"),
            Map.entry("org.warpnfs.rpcrdma.oncrpc.LaneThreads.run", "calls run between two times that it is locked"),
            Map.entry("org.warpnfs.server.Backends.closeAllBut", RELOADS),
            Map.entry("org.warpnfs.server.Backends.exportsOf", RELOADS),
            Map.entry("org.warpnfs.server.TlsFiles.look", RELOADS),
            Map.entry("org.warpnfs.server.TlsFiles.renew", RELOADS),
            Map.entry("org.warpnfs.server.WarpServer.reload", RELOADS),
            Map.entry("org.warpnfs.server.cli.ExportsReload.look", RELOADS),
            Map.entry("org.warpnfs.server.rpcbind.RpcbindRegistration.look", "its own thread and the end need it"),
            Map.entry("org.warpnfs.server.watch.DeepProbe.probe", "one probe at a time, on threads of the admin"));

    /** What waits on the thread of a timer all the same, with the reason. */
    private static final Map<String, String> ON_LOOPS =
            Map.of("org.warpnfs.server.TlsFiles.look", "the thread is its own");

    /** Not followed, with the reason. */
    private static final Map<String, String> CUT = Map.of(
            "org.warpnfs.rpcrdma.oncrpc.ConnectionTransport.runHere",
            "operations there end as postponed before they wait",
            "org.warpnfs.nfs.v3.Nfs3Dispatcher$1.refused",
            "the answer has no attributes",
            "org.warpnfs.nfs.v4.CompoundRun.refused",
            "the rest of the COMPOUND is not executed");

    private static final Map<String, Set<String>> WAITS = Map.ofEntries(
            Map.entry(
                    "java.net.InetAddress",
                    Set.of(
                            "getByName",
                            "getAllByName",
                            "getHostName",
                            "getCanonicalHostName",
                            "getLocalHost",
                            "isReachable")),
            Map.entry("java.net.InetSocketAddress", Set.of("getHostName")),
            Map.entry("java.lang.ProcessBuilder", Set.of("start")),
            Map.entry("java.lang.Process", Set.of("waitFor")),
            Map.entry("java.lang.Thread", Set.of("sleep", "join")),
            Map.entry("java.util.concurrent.CountDownLatch", Set.of("await")),
            Map.entry("java.util.concurrent.Future", Set.of("get")),
            Map.entry("java.util.concurrent.FutureTask", Set.of("get")),
            Map.entry("java.util.concurrent.CompletableFuture", Set.of("get", "join")),
            Map.entry("java.util.concurrent.ExecutorService", Set.of("awaitTermination")));

    /** All that these have waits, but for what {@link #QUICK} names. */
    private static final Set<String> FILES = Set.of(
            "java.nio.file.Files",
            "java.nio.channels.FileChannel",
            "java.io.FileInputStream",
            "java.io.FileOutputStream",
            "java.io.RandomAccessFile",
            "java.net.Socket",
            "java.net.ServerSocket",
            "org.warpnfs.fs.spi.FileSystem",
            "org.warpnfs.fs.spi.PosixFileSystem",
            "org.warpnfs.fs.spi.OpenFile",
            "org.warpnfs.fs.spi.OwnerLocks",
            "org.warpnfs.fs.spi.Lease");

    private static final Set<String> QUICK = Set.of("limits", "root", "identity", "handle", "kind", "breakTime");

    private static final Pattern NOT_SERVED = Pattern.compile("org\\.warpnfs\\.(tools|example|testkit)\\..*");
    private static final Pattern OF_TESTS = Pattern.compile(".*(/test-classes/|-tests\\.jar!).*");

    private static CallGraph graph;

    @BeforeAll
    static void read() throws IOException {
        graph = graphOf(type -> !NOT_SERVED.matcher(type.getName()).matches()
                && !OF_TESTS.matcher(type.url().toString()).matches());
    }

    private static CallGraph graphOf(Predicate<ClassPath.ClassInfo> isWanted) throws IOException {
        return CallGraph.of(ClassPath.from(NoWaitTest.class.getClassLoader()).getAllClasses().stream()
                .filter(type -> type.getName().startsWith("org.warpnfs."))
                .filter(isWanted)
                .map(ClassPath.ResourceInfo::asByteSource)
                .toList());
    }

    private static boolean waits(Method called) {
        return (FILES.contains(called.owner())
                        && !QUICK.contains(called.name())
                        && !called.name().startsWith("try"))
                || WAITS.getOrDefault(called.owner(), Set.of()).contains(called.name());
    }

    private static Map<String, String> thoseThatWait(CallGraph graph, Collection<Method> roots, Set<String> cut) {
        Map<Method, Method> steps = graph.steps(NoWaitTest::waits, method -> cut.contains(method.toString()));
        return roots.stream()
                .filter(steps::containsKey)
                .collect(Collectors.toMap(
                        Method::toString,
                        root -> Stream.iterate(steps.get(root), step -> step != null, steps::get)
                                .map(Method::toString)
                                .collect(Collectors.joining(" > ")),
                        (one, _) -> one,
                        TreeMap::new));
    }

    /** Handlers of Netty, what is given to event loops and timers, and the cores of protocols, which they run. */
    private static Set<Method> onLoops(CallGraph graph) {
        Set<Method> roots = new HashSet<>(graph.onLoops());
        roots.addAll(graph.methodsBelow(
                type -> type.startsWith("io.netty.channel.Channel") || type.startsWith("io.netty.handler.")));
        roots.addAll(graph.methodsIn(type ->
                type.matches("org\\.warpnfs\\.(iwarp\\.(mpa|ddp|rdmap|qp)|rpcrdma\\.(wire|chunk|message))\\..*")));
        return roots;
    }

    @Test
    void locksThatOthersNeed_areNotHeldByWhoWaits() {
        assertThat(graph.underLock()).hasSizeGreaterThan(300);

        Map<String, String> found = thoseThatWait(graph, graph.underLock(), CUT.keySet());

        Map<String, String> others = new TreeMap<>(found);
        others.keySet().removeAll(UNDER_LOCK.keySet());
        assertThat(others).isEmpty();
        assertThat(found.keySet()).as("exceptions that are needed").containsAll(UNDER_LOCK.keySet());
    }

    @Test
    void eventLoopsAndTimers_runNothingThatWaits() {
        Set<Method> roots = onLoops(graph);
        assertThat(roots).hasSizeGreaterThan(500);

        Map<String, String> found = thoseThatWait(graph, roots, CUT.keySet());

        Map<String, String> others = new TreeMap<>(found);
        others.keySet().removeAll(ON_LOOPS.keySet());
        assertThat(others).isEmpty();
        assertThat(found.keySet()).as("exceptions that are needed").containsAll(ON_LOOPS.keySet());
        assertThat(thoseThatWait(graph, roots, Set.of()).keySet())
                .as("without what is cut")
                .hasSizeGreaterThan(found.size());
    }

    /** What the rules refuse, and what they take. */
    @SuppressWarnings("unused")
    private static final class Sample {
        private final Object lock = new Object();

        private interface Store {
            boolean has(Path file);
        }

        private static final class OnDisk implements Store {
            @Override
            public boolean has(Path file) {
                return Files.exists(file);
            }
        }

        private static final class Handler extends ChannelInboundHandlerAdapter {
            private void refusedHandler(FileChannel file) throws IOException {
                file.force(true);
            }
        }

        private synchronized boolean refusedMethod(Path file) {
            return Files.exists(file);
        }

        private boolean refusedBlock(Store store, Path file) {
            synchronized (lock) {
                return store.has(file);
            }
        }

        private synchronized boolean refusedLambda(List<Path> files) {
            files.removeIf(Files::exists);
            files.forEach(file -> refusedMethod(file));
            return files.isEmpty();
        }

        private boolean takenBehindTheBlock(Store store, Path file) {
            int code;
            synchronized (lock) {
                code = lock.hashCode();
            }
            return code != 0 && store.has(file);
        }

        private synchronized Runnable takenForLater(Path file) {
            return () -> refusedMethod(file);
        }

        private void given(EventLoop loop, Path file) {
            loop.execute(() -> refusedMethod(file));
        }
    }

    private static CallGraph sample() throws IOException {
        return graphOf(type -> type.getName().startsWith(Sample.class.getName()));
    }

    private static Set<String> names(Map<String, String> found) {
        return found.keySet().stream()
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .collect(Collectors.toSet());
    }

    @Test
    void waitingUnderALock_isRefused() throws IOException {
        CallGraph sample = sample();

        assertThat(names(thoseThatWait(sample, sample.underLock(), Set.of())))
                .containsExactlyInAnyOrder("refusedMethod", "refusedBlock {synchronized}", "refusedLambda");
    }

    @Test
    void waitingOnAnEventLoop_isRefused() throws IOException {
        CallGraph sample = sample();

        assertThat(names(thoseThatWait(sample, onLoops(sample), Set.of())))
                .containsExactlyInAnyOrder("refusedHandler", "lambda$given$0");
    }
}
