package org.warpnfs.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.tools.bench.BenchException;

@Timeout(300)
class NamespaceTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private static Namespace made() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root makes network namespaces");
        return Namespace.make();
    }

    @Test
    void obstacles_areNamedWithWhatToDo() {
        assertThat(Namespace.obstacle("Linux", true, program -> true)).isEmpty();
        assertThat(Namespace.obstacle("Linux", false, program -> true))
                .hasValueSatisfying(why -> assertThat(why).contains("needs root", "run it by sudo"));
        assertThat(Namespace.obstacle("Linux", true, program -> !program.equals("ip")))
                .hasValue("bench compare needs ip (on Debian: apt-get install iproute2)");
        assertThat(Namespace.obstacle("Mac OS X", true, program -> true))
                .hasValueSatisfying(why -> assertThat(why).contains("needs Linux", "Mac OS X"));
    }

    @Test
    void inside_thereIsLoopbackAlone_andTheDirectoryGoesWithIt() throws Exception {
        Path directory;
        try (Namespace namespace = made()) {
            directory = namespace.directory();
            assertThat(namespace.run(Inside.class.getName(), List.of("look"), LIMIT, said::add, said::add))
                    .as("%s", said)
                    .isEqualTo(3);
            assertThat(said).contains("network [lo]", "directory " + directory, "process 1");
        }
        assertThat(directory).doesNotExist();
    }

    @Test
    void interrupted_endsWhatIsInside() throws Exception {
        Path directory;
        AtomicReference<Exception> thrown = new AtomicReference<>();
        try (Namespace namespace = made()) {
            directory = namespace.directory();
            Thread running = Thread.ofPlatform().start(() -> {
                try {
                    namespace.run(Inside.class.getName(), List.of("stay"), LIMIT, said::add, said::add);
                } catch (BenchException | InterruptedException e) {
                    thrown.set(e);
                }
            });
            while (!said.take().equals("stays")) {
                // Skip lines until the program inside is ready.
            }
            running.interrupt();
            running.join();
        }
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(directory).doesNotExist();
        // The process inside had this word in its command line.
        assertThat(ProcessHandle.allProcesses()
                        .map(process -> process.info().commandLine().orElse("")))
                .noneMatch(line -> line.contains(directory.toString()));
    }

    /** The program that runs inside the namespace. */
    static final class Inside {
        private Inside() {}

        public static void main(String[] arguments) throws Exception {
            if (arguments[0].equals("stay")) {
                Files.writeString(Path.of(System.getProperty(Namespace.DIRECTORY), "something"), "left");
                System.out.println("stays");
                Thread.sleep(Duration.ofDays(1));
            }
            // The file has two header lines, and then one line for each interface.
            List<String> names = Files.readAllLines(Path.of("/proc/self/net/dev")).stream()
                    .skip(2)
                    .map(line -> line.substring(0, line.indexOf(':')).strip())
                    .toList();
            System.out.println("network " + names);
            System.out.println("directory " + System.getProperty(Namespace.DIRECTORY));
            System.out.println("process " + ProcessHandle.current().pid());
            System.exit(3);
        }
    }
}
