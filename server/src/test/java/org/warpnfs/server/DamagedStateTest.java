package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.hostile.V41Client;

/**
 * Each kind of file in the state directory, damaged while the server is down. Either the start names the file and what
 * to do, or the server starts, and the log names the file.
 */
@Timeout(120)
class DamagedStateTest {
    private static final Path OPERATE = Path.of("..", "docs", "operate.md");
    private static final int NLM = 100_021;
    private static final int NLM_LOCK = 2;
    private static final int PUTROOTFH = 24;
    private static final int OPEN = 18;
    private static final int READ = 1;
    private static final int GRANTED = 0;
    private static final int GRACE = 10_013;

    /** What a start does. */
    private enum Outcome {
        REFUSED,
        TOLD
    }

    /** Files with a row of their own in docs/operate.md. */
    private static final List<String> KINDS =
            List.of("format", "handle-key", "nfs4-recovery.log", "nlm/state", "nlm/settled", "nlm/hosts");

    /** Rows whose files this server does not have: fs.local.HandleLogTest and fs.ceph.CephProviderTest damage them. */
    private static final List<String> OF_BACKENDS = List.of("handles-*.log", "mount-name");

    private enum Damage {
        CUT,
        EMPTY,
        FIRST_BYTE,
        MIDDLE_BYTE,
        LAST_BYTE;

        byte[] to(byte[] bytes) {
            return switch (this) {
                case CUT -> Arrays.copyOf(bytes, bytes.length / 2);
                case EMPTY -> new byte[0];
                case FIRST_BYTE -> changed(bytes, 0);
                case MIDDLE_BYTE -> changed(bytes, bytes.length / 2);
                case LAST_BYTE -> changed(bytes, bytes.length - 1);
            };
        }

        private static byte[] changed(byte[] bytes, int at) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            return changed;
        }
    }

    /** The exported files, and the state directory of a server that had clients and has ended twice. */
    @TempDir
    private static Path shared;

    @TempDir
    private Path temporary;

    private static WarpServer start(Path state) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return WarpServer.start(new ServerConfig(
                List.of(ExportSpec.parse(shared.resolve("files") + ":/,no_root_squash,insecure")),
                Backend.LOCAL,
                16 << 20,
                any,
                any,
                state,
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(1),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT));
    }

    private static byte[] mount(WarpServer server) throws IOException {
        ByteBuffer mounted = NfsCall.of(1, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(mounted.getInt()).isZero();
        return NfsCall.opaque(mounted);
    }

    @BeforeAll
    static void use() throws Exception {
        Path file = Files.createFile(
                Files.createDirectories(shared.resolve("files")).resolve("f"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        // The second one has reclaims to wait for, and notes that they are over.
        for (int i = 0; i < 2; i++) {
            try (WarpServer server = start(shared.resolve("state"))) {
                open(server);
                while (lock(server) != GRANTED) {
                    Thread.sleep(100);
                }
            }
        }
    }

    private static void open(WarpServer server) throws Exception {
        V41Client client = new V41Client(call -> call.overTcp(server.tcpAddress()), "client");
        client.open();
        int status;
        do {
            NfsCall open =
                    client.sequenced(3).word(PUTROOTFH).word(OPEN).word(0).word(READ);
            status = client.status(
                    open.word(0).hyper(0).string("owner").word(0).word(0).string("f"));
        } while (status == GRACE);
        assertThat(status).isZero();
    }

    /** NLM_LOCK; returns its status. */
    private static int lock(WarpServer server) throws Exception {
        ByteBuffer found = NfsCall.of(2, NfsCall.NFS, 3, 3, 0)
                .opaque(mount(server))
                .string("f")
                .overTcp(server.tcpAddress());
        assertThat(found.getInt()).isZero();
        ByteBuffer locked = NfsCall.of(3, NLM, 4, NLM_LOCK, 0)
                .string("")
                .word(0)
                .word(0)
                .string("host")
                .opaque(NfsCall.opaque(found))
                .string("owner")
                .word(1)
                .hyper(0)
                .hyper(1)
                .word(0)
                .word(1)
                .overTcp(server.tcpAddress());
        return locked.getInt(locked.position() + 4);
    }

    /** A state directory of its own for one test. */
    private Path used() throws IOException {
        Path state = shared.resolve("state");
        Path copy = temporary.resolve("state");
        try (Stream<Path> all = Files.walk(state)) {
            for (Path each : all.toList()) {
                Files.copy(each, copy.resolve(state.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return copy;
    }

    private static List<Path> files(Path state) throws IOException {
        try (Stream<Path> all = Files.walk(state)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static String kind(Path state, Path file) {
        String name = state.relativize(file).toString();
        return name.startsWith("nlm/hosts/") ? "nlm/hosts" : name.replace("nfs4/", "");
    }

    @Test
    void eachFileOfTheDirectory_hasARowInTheTableOfDamage() throws Exception {
        Path state = used();
        assertThat(files(state).stream().map(file -> kind(state, file)).filter(name -> !name.equals("lock")))
                .containsExactlyInAnyOrderElementsOf(KINDS);

        String page = Files.readString(OPERATE);
        String table = page.substring(page.indexOf("| file | cut"), page.indexOf("**Downgrade**"));
        List<String> named = table.lines()
                .skip(2)
                .filter(row -> row.startsWith("|"))
                .flatMap(row -> Pattern.compile("`([^`]+)`")
                        .matcher(row.substring(1, row.indexOf('|', 1)))
                        .results()
                        .map(found -> found.group(1)))
                .filter(name -> !name.startsWith("--"))
                .toList();
        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(KINDS.stream(), OF_BACKENDS.stream()).toList());
    }

    static Stream<Arguments> damages() {
        return KINDS.stream().flatMap(kind -> Arrays.stream(Damage.values()).map(damage -> Arguments.of(kind, damage)));
    }

    private static Outcome expected(String kind, Damage damage) {
        // Most of the journal is room for what comes: as much may be damaged as the end of the host damages.
        boolean isInRoom =
                kind.equals("nfs4-recovery.log") && (damage == Damage.MIDDLE_BYTE || damage == Damage.LAST_BYTE);
        return kind.equals("nlm/hosts") || isInRoom ? Outcome.TOLD : Outcome.REFUSED;
    }

    @ParameterizedTest
    @MethodSource("damages")
    void file_damaged_isNamedByTheStart_orByTheLog(String kind, Damage damage) throws Exception {
        Path state = used();
        Path file = files(state).stream()
                .filter(each -> kind(state, each).equals(kind))
                .findFirst()
                .orElseThrow();
        byte[] damaged = damage.to(Files.readAllBytes(file));
        Files.write(file, damaged);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger log = (Logger) LoggerFactory.getLogger("org.warpnfs");
        lines.start();
        log.addAppender(lines);
        try {
            Throwable refusal = catchThrowable(() -> {
                try (WarpServer server = start(state)) {
                    assertThat(mount(server)).isNotEmpty();
                }
            });
            String told = Stream.concat(
                            Stream.iterate(refusal, cause -> cause != null, Throwable::getCause)
                                    .map(Throwable::toString),
                            lines.list.stream()
                                    .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                                    .map(ILoggingEvent::getFormattedMessage))
                    .collect(Collectors.joining("\n"));
            assertThat(refusal == null ? Outcome.TOLD : Outcome.REFUSED)
                    .as(told)
                    .isEqualTo(expected(kind, damage));
            assertThat(told).contains(String.valueOf(file.getFileName()));
            if (refusal != null) {
                assertThat(told)
                        .containsAnyOf("restore", "remove", "move it away")
                        .contains(file.toString());
                assertThat(file).as("kept for whoever looks at it").hasBinaryContent(damaged);
            }
        } finally {
            log.detachAppender(lines);
        }
    }
}
