package org.warpnfs.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.lanes.CallThread;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;

/**
 * Log lines of a thread that works on a call, in text and in JSON. They identify the call, calls cannot fill the log,
 * and no text from a peer breaks out of its line.
 */
class CallLinesTest {
    private static final Logger LOG = LoggerFactory.getLogger(CallLinesTest.class);

    private final AtomicLong clock = new AtomicLong();

    private record Call(int xid, CallOnThread.@Nullable Procedure procedure) implements CallOnThread.Described {
        @Override
        public ClientAddress client() {
            return ClientAddress.NONE;
        }

        @Override
        public String peer() {
            return "192.0.2.1:700";
        }

        @Override
        public String transportName() {
            return "rdma";
        }
    }

    private static void onThreadOf(CallOnThread.@Nullable Described call, Runnable task) throws Exception {
        CallThread thread = new CallThread(
                () -> {
                    CallOnThread.Described around = CallOnThread.begin(call);
                    try {
                        task.run();
                    } finally {
                        CallOnThread.end(around);
                    }
                },
                "of a call");
        thread.start();
        thread.join();
    }

    private static Call read(int xid) {
        return new Call(xid, new CallOnThread.Procedure(100_003, 3, 6));
    }

    private static String value(String json, String key) throws Exception {
        JsonNode line = new ObjectMapper().readTree(json);
        return String.join(" ", line.get("kvpList").findValuesAsText(key));
    }

    private Written written() {
        return new Written(
                CallLinesTest.class.getName(), new HeldBack(new LogLimiter(Duration.ofMinutes(1), 8, clock::get)));
    }

    @Test
    void lineOfACallsThread_saysWhoseCallItIs() throws Exception {
        try (Written lines = written()) {
            onThreadOf(read(0xcafe), () -> LOG.warn("something is odd"));
            assertThat(lines.text().strip()).endsWith("something is odd [XID cafe, nfs 3 READ of 192.0.2.1:700]");
            assertThat(value(lines.json(), "xid")).isEqualTo("cafe");
            assertThat(value(lines.json(), "peer")).isEqualTo("192.0.2.1:700");
            assertThat(value(lines.json(), "procedure")).isEqualTo("nfs 3 READ");
            assertThat(value(lines.json(), "transport")).isEqualTo("rdma");
        }
    }

    @Test
    void lineThatSaysSoItself_saysItOnce() throws Exception {
        try (Written lines = written()) {
            onThreadOf(read(0xcafe), () -> LOG.atInfo()
                    .addKeyValue("xid", "cafe")
                    .addKeyValue("peer", "192.0.2.1")
                    .addKeyValue("cause", "test")
                    .log("odd"));
            assertThat(lines.text().strip()).endsWith("odd [XID cafe, nfs 3 READ]");
            assertThat(value(lines.json(), "xid")).isEqualTo("cafe");
            assertThat(value(lines.json(), "peer")).isEqualTo("192.0.2.1");
        }
    }

    /** An example is a callback of the server, which has its own XID. */
    @Test
    void lineAboutAnotherCall_isNotMixedUpWithTheThreads() throws Exception {
        try (Written lines = written()) {
            onThreadOf(
                    read(0xcafe), () -> LOG.atInfo().addKeyValue("xid", "beef").log("odd"));
            assertThat(lines.text().strip()).endsWith("odd [XID beef]");
            assertThat(value(lines.json(), "procedure")).isEmpty();
        }
    }

    @Test
    void lineOfNoCall_saysNothingOfOne() throws Exception {
        try (Written lines = written()) {
            onThreadOf(null, () -> LOG.info("ready"));
            LOG.info("ready");
            assertThat(lines.text().lines()).hasSize(2).allSatisfy(line -> assertThat(line)
                    .endsWith("ready"));
            assertThat(lines.json()).doesNotContain("xid");
        }
    }

    @Test
    void procedureThatHasNoName_isToldByItsNumbers() throws Exception {
        try (Written lines = written()) {
            onThreadOf(new Call(1, new CallOnThread.Procedure(4_000_000_000L, 2, 77)), () -> LOG.warn("odd"));
            onThreadOf(new Call(-1, null), () -> LOG.warn("no header"));
            assertThat(lines.text()).contains("odd [XID 1, 4000000000 2 77 of 192.0.2.1:700]");
            assertThat(lines.text()).contains("no header [XID ffffffff of 192.0.2.1:700]");
        }
    }

    @Test
    void defectThatACallMeetsAgainAndAgain_isALineAMinute() throws Exception {
        try (Written lines = written()) {
            onThreadOf(read(1), () -> {
                for (int i = 0; i < 1000; i++) {
                    LOG.error("failed by a bug", new IllegalStateException("broken"));
                    LOG.warn("and again {}", i);
                }
            });
            assertThat(lines.messages()).containsExactly("failed by a bug", "and again 0");
            clock.addAndGet(Duration.ofMinutes(1).toNanos());
            onThreadOf(read(2), () -> LOG.warn("and again {}", 7));
            assertThat(lines.text()).contains("and again 7 [XID 2, nfs 3 READ of 192.0.2.1:700] (999 more like it)");
        }
    }

    /** Lines for debugging are all written, and so are lines about an administrator's actions. */
    @Test
    void linesForDebugging_andOfNoCall_areNotHeldBack() throws Exception {
        ch.qos.logback.classic.Logger logger = (ch.qos.logback.classic.Logger) LOG;
        logger.setLevel(ch.qos.logback.classic.Level.DEBUG);
        try (Written lines = written()) {
            onThreadOf(read(1), () -> {
                for (int i = 0; i < 100; i++) {
                    LOG.debug("garbage");
                }
            });
            for (int i = 0; i < 100; i++) {
                LOG.warn("an administrator took locks away");
            }
            assertThat(lines.messages()).hasSize(200);
        } finally {
            logger.setLevel(null);
        }
    }

    /** Every character, in a message, in an exception and in a key-value pair. */
    @ParameterizedTest
    @ValueSource(ints = {0, 0x100, 0x2000, 0xd800, 0xdc00, 0xfe00, 0xff00})
    void anyText_staysInItsLine(int page) throws Exception {
        StringBuilder any = new StringBuilder("\u001b[2J\nERROR forged\r\"\\\",");
        for (int c = page; c < page + 0x100; c++) {
            any.append((char) c).append('x');
        }
        String text = any.toString();
        try (Written lines = written()) {
            onThreadOf(read(0xcafe), () -> LOG.atWarn()
                    .addKeyValue("name", text)
                    .addKeyValue("xid", text)
                    .log("named {}", text));
            onThreadOf(read(0xcafe), () -> LOG.error("named " + text, new IllegalStateException(text)));
            assertThat(lines.text().lines().filter(line -> !line.startsWith("\t")))
                    .hasSize(2);
            assertThat(lines.json().lines()).hasSize(2);
            String all = lines.text() + lines.json();
            assertThat(all.chars()
                            .filter(c -> (Character.isISOControl(c) && c != '\n' && c != '\t')
                                    || (c >= 0x202a && c <= 0x202e)
                                    || c == 0x2028
                                    || c == 0x2029)
                            .mapToObj(Integer::toHexString)
                            .collect(Collectors.toSet()))
                    .isEmpty();
            ObjectMapper json = new ObjectMapper();
            for (String line : lines.json().lines().toList()) {
                assertThat(json.readTree(line).get("formattedMessage").asText()).startsWith("named ");
            }
        }
    }
}
