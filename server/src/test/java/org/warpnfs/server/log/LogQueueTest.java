package org.warpnfs.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queue of log lines before a reader that stands still. */
@Timeout(60)
class LogQueueTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private final CountDownLatch reads = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private final OutputStream reader = new OutputStream() {
        @Override
        public void write(int b) {
            throw new AssertionError("a line is written as a whole");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            begun.countDown();
            try {
                reads.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            written.write(bytes, offset, length);
        }
    };

    private final LogQueue queue = new LogQueue(reader, count -> bytes(count + " dropped"));

    private static byte[] bytes(String line) {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Adds lines until one is dropped. Returns how many found room. */
    private int fill(Level level) {
        long before = queue.dropped();
        for (int count = 0; ; count++) {
            queue.add(bytes(level + " " + count + " ".repeat(1000)), level);
            if (queue.dropped() > before) {
                return count;
            }
        }
    }

    private List<String> writtenLines() throws InterruptedException {
        reads.countDown();
        assertThat(queue.awaitWritten(LONG)).isTrue();
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .toList();
    }

    @Test
    void readerStandsStill_higherLevelsFindRoomForLonger_andDroppedLinesAreCounted() throws Exception {
        queue.add(bytes("first"), Level.INFO);
        begun.await();
        int debug = fill(Level.DEBUG);
        assertThat(debug).isPositive();
        assertThat(fill(Level.INFO)).isZero();
        int warn = fill(Level.WARN);
        assertThat(warn).isPositive();
        int error = fill(Level.ERROR);
        assertThat(error).isPositive();
        assertThat(queue.dropped()).isEqualTo(4);
        assertThat(queue.waitingBytes()).isBetween(LogQueue.MAX_BYTES * 9 / 10, LogQueue.MAX_BYTES);

        List<String> lines = writtenLines();
        assertThat(lines).hasSize(1 + debug + warn + error + 1);
        assertThat(lines).startsWith("first", "DEBUG 0", "DEBUG 1").endsWith("ERROR " + (error - 1), "4 dropped");
        assertThat(queue.waitingBytes()).isZero();
    }

    @Test
    void readerReadsAgain_laterLinesAreWritten_andWhatWasDroppedIsSaidOnce() throws Exception {
        queue.add(bytes("first"), Level.INFO);
        begun.await();
        fill(Level.INFO);
        assertThat(writtenLines()).endsWith("1 dropped");
        queue.add(bytes("later"), Level.INFO);
        assertThat(writtenLines()).endsWith("1 dropped", "later");
    }

    @Test
    void end_readerStandsStill_isNotWaitedForLongerThanTheLimit() throws Exception {
        queue.add(bytes("last"), Level.ERROR);
        assertThat(queue.awaitWritten(Duration.ofMillis(50))).isFalse();
        assertThat(writtenLines()).containsExactly("last");
    }

    @Test
    void lineThatCannotBeWritten_isLost_andTheNextIsWritten() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public void write(byte[] line) throws IOException {
                if (line.length == 1) {
                    throw new IOException("broken");
                }
                super.write(line);
            }
        };
        LogQueue breaking = new LogQueue(out, count -> bytes(count + " dropped"));
        breaking.add(bytes(""), Level.INFO);
        breaking.add(bytes("next"), Level.INFO);
        assertThat(breaking.awaitWritten(LONG)).isTrue();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("next\n");
    }

    /** Such as no memory of the C library for a long line. */
    @Test
    void errorOfTheVirtualMachine_losesItsLineAlone() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public void write(byte[] line) throws IOException {
                if (line.length == 1) {
                    throw new OutOfMemoryError("native heap");
                }
                super.write(line);
            }
        };
        LogQueue breaking = new LogQueue(out, count -> bytes(count + " dropped"));
        breaking.add(bytes(""), Level.INFO);
        breaking.add(bytes("next"), Level.INFO);
        assertThat(breaking.awaitWritten(Duration.ofSeconds(10))).isTrue();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("next\n");
    }
}
