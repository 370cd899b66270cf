package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Memory for records. One peer begins records and stops, and an honest peer beside it is served. */
class TcpRecordMemoryTest extends ServedPeers {
    /**
     * The memory of a call's record is given back when the call no longer reads it, not when the peer has taken the
     * reply.
     */
    @Test
    void repliesNeverTaken_recordMemory_isBackAllTheSame() throws Exception {
        start(TcpOptions.builder().maxUnsentBytes(64 * MIB, 64 * MIB));
        TcpPeer hostile = peer(HOSTILE);
        for (int xid = 0; xid < 32; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.READ, MIB));
        }
        await(() -> count(Counter.REPLIES_SENT) == 32);
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == 0);
        assertThat(count(Counter.UNSENT_BYTES)).isGreaterThan(16 * MIB);
    }

    @Test
    void partialRecords_holdTheirShare_honestRecordComesThrough() throws Exception {
        start(TcpOptions.builder().maxRecordMemoryBytes(8 * MIB, 8 * MIB));
        for (int i = 0; i < 16; i++) {
            peer(HOSTILE).beginRecord(MIB, 34 << 10);
        }
        await(() -> count(Counter.MEMORY_WAITS) == 12);
        assertThat(count(Counter.RECORD_MEMORY_BYTES)).as("half of all").isEqualTo(4 * MIB);
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; xid < 20; xid++) {
            byte[] data = EchoProgram.pattern(MIB, xid);
            honest.send(Rpc.write(xid, data));
            Rpc.success(xid, honest.receive());
        }
        assertThat(count(Counter.RECORD_MEMORY_BYTES)).isEqualTo(4 * MIB);
    }

    @Test
    void partialRecordsWaitForMemory_holderEnds_nextIsRead() throws Exception {
        start(TcpOptions.builder().maxRecordMemoryBytes(2 * MIB, 2 * MIB));
        TcpPeer holder = peer(HOSTILE);
        holder.beginRecord(MIB, 100);
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == MIB);
        TcpPeer next = peer(HOSTILE);
        byte[] data = EchoProgram.pattern(MIB - 100, 1);
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                next.send(Rpc.write(7, data));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        await(() -> count(Counter.MEMORY_WAITS) == 1);
        holder.close();
        Rpc.success(7, next.receive());
        sender.join();
    }

    /** A waiting connection must see that memory was given back, even by a record that was not a call. */
    @Test
    void connectionAtItsRecordLimit_callEnds_nextRecordIsRead() throws Exception {
        start(TcpOptions.builder().maxRecordMemoryBytes(64 * MIB, 100));
        TcpPeer peer = peer(HONEST);
        for (int xid = 0; xid < 5; xid++) {
            peer.send(Rpc.call(xid, EchoProgram.PARK));
        }
        for (int answered = 0; answered < 5; answered++) {
            await(() -> program.parkedCount() > 0);
            assertThat(count(Counter.RECORD_MEMORY_BYTES)).isLessThanOrEqualTo(100);
            assertThat(program.parkedCount()).isLessThanOrEqualTo(2);
            answerParked();
            peer.receive();
        }
    }

    @Test
    void recordTooSlow_leastRate_connectionIsClosedAndHonestGoesOn() throws Exception {
        start(TcpOptions.builder().leastRate(64 << 10, Duration.ofMillis(1500)));
        TcpPeer hostile = peer(HOSTILE);
        hostile.beginRecord(MIB, 34 << 10);
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; count(Counter.RECORDS_TOO_SLOW) == 0; xid++) {
            honest.ping(xid);
            try {
                hostile.sendBytes(ByteBuffer.allocate(1));
            } catch (IOException e) {
                break;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        hostile.awaitClosed();
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == 0);
        honest.ping(-1);
        assertThat(count(Counter.RECORDS_TOO_SLOW)).isEqualTo(1);
    }

    @Test
    void partialRecord_drain_doesNotWaitForIt() throws Exception {
        start(TcpOptions.builder());
        TcpPeer hostile = peer(HOSTILE);
        hostile.beginRecord(MIB, 100);
        await(() -> count(Counter.RECORD_MEMORY_BYTES) == MIB);
        assertThat(service.drain(Duration.ofSeconds(60))).isTrue();
    }
}
