package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.stats.Counter;

/** Records that are no calls. */
class TcpNoCallTest extends ServedPeers {
    @Test
    void repliesToNothing_flood_endsTheConnectionAndCopiesNothing() throws Exception {
        start(TcpOptions.builder().backwardReplies(4096, 8));
        TcpPeer hostile = peer(HOSTILE);
        hostile.ping(0);
        for (int i = 0; i < 8; i++) {
            hostile.send(TcpPeer.replyTo(i, 4096));
        }
        hostile.ping(1);
        assertThat(count(Counter.BACKWARD_REPLIES_UNEXPECTED)).isEqualTo(8);
        hostile.send(TcpPeer.replyTo(8, 4096));
        hostile.awaitClosed();
        peer(HONEST).ping(1);
        assertThat(count(Counter.BACKWARD_REPLIES_RECEIVED)).isZero();
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(1);
    }

    @Test
    void replyAboveTheLimit_one_endsTheConnection() throws Exception {
        start(TcpOptions.builder().backwardReplies(4096, 8));
        TcpPeer hostile = peer(HOSTILE);
        hostile.send(TcpPeer.replyTo(1, 4097));
        hostile.awaitClosed();
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(1);
        assertThat(count(Counter.BACKWARD_REPLIES_UNEXPECTED)).isZero();
    }

    @Test
    void directionNeitherCallNorReply_record_endsTheConnection() throws Exception {
        start(TcpOptions.builder());
        TcpPeer hostile = peer(HOSTILE);
        hostile.sendBytes(ByteBuffer.allocate(12)
                .putInt(TcpPeer.LAST_FRAGMENT | 8)
                .putInt(1)
                .putInt(2)
                .flip());
        hostile.awaitClosed();
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(1);
        assertThat(count(Counter.CALLS_RECEIVED)).isZero();
    }

    @Test
    void badRecords_ofOneClient_areAllCountedAndLoggedOnce() throws Exception {
        start(TcpOptions.builder());
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(TcpConnection.class);
        Level before = log.getLevel();
        log.setLevel(Level.INFO);
        log.addAppender(lines);
        try {
            for (int i = 0; i < 20; i++) {
                TcpPeer hostile = peer(HOSTILE);
                hostile.beginRecord(Integer.MAX_VALUE, 0);
                hostile.awaitClosed();
            }
        } finally {
            log.detachAppender(lines);
            log.setLevel(before);
        }
        assertThat(count(Counter.RECORDS_REFUSED)).isEqualTo(20);
        assertThat(lines.list.stream().filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO)))
                .hasSize(1);
    }
}
