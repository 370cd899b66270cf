package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** The server's log explains why a client gets errors for long replies. */
class UnfitRepliesTest {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger(UnfitReplies.class);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final SimulatedResponder responder = new SimulatedResponder(ResponderOptions.DEFAULT);
    private final RawRequester raw = responder.connect(0);

    @BeforeEach
    void listen() {
        lines.start();
        LOG.setLevel(Level.DEBUG);
        LOG.setAdditive(false);
        LOG.addAppender(lines);
    }

    @AfterEach
    void close() {
        LOG.detachAppender(lines);
        LOG.setLevel(null);
        LOG.setAdditive(true);
        responder.close();
    }

    private Stream<String> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage);
    }

    private void send(int xid, int procedure, int count, ChunkLists lists) {
        raw.send(message(
                new RdmaMsg(xid, 32, lists), Rpc.call(xid, procedure, count).flatten()));
        responder.settle();
    }

    private static WriteChunk chunk(int lengthBytes, int segments) {
        return new WriteChunk(Stream.generate(() -> new RdmaSegment(0x100, lengthBytes / segments, 0))
                .limit(segments)
                .toList());
    }

    @Test
    void replyFitsNowhere_again_isWarnedOfOnceWithItsSizes() {
        ChunkLists lists = new ChunkLists(List.of(), List.of(chunk(65_536, 1)), Optional.of(chunk(2048, 1)));
        for (int xid = 10; xid < 13; xid++) {
            send(xid, EchoProgram.BULK, 32_768, lists);
        }
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains(
                        "program 536871065 version 3 procedure 3",
                        "Needed: 32796 bytes of XDR, and DDP-eligible results of [] bytes",
                        "Offered: 4096 bytes inline, Write chunks of [65536] bytes, a Reply chunk of 2048 bytes",
                        "no result for each Write chunk");
        assertThat(responder.count(Counter.ERR_CHUNK_TOO_BIG_SENT)).isEqualTo(3);
        send(20, EchoProgram.READ, 32_768, new ChunkLists(List.of(), List.of(chunk(1024, 1)), Optional.empty()));
        assertThat(warnings().toList())
                .as("another procedure")
                .hasSize(2)
                .last()
                .asString()
                .contains("procedure 2", "[32768]", "[1024]");
    }

    @Test
    void replyFits_sent_isNotWarnedOf() {
        send(10, EchoProgram.BULK, 1024, ChunkLists.NONE);
        assertThat(warnings()).isEmpty();
        assertThat(responder.count(Counter.ERR_CHUNK_TOO_BIG_SENT)).isZero();
    }

    @Test
    void proceduresThatDoNotExist_noRoomForTheAnswer_areNotWarnedOf() {
        RawRequester small = RawRequester.connect(
                responder.simulation.connector(),
                SimulatedResponder.ADDRESS,
                new PrivateData(true, 4096, 1024).encoded(),
                128,
                4096);
        responder.simulation.run();
        ChunkLists lists = new ChunkLists(List.of(), List.of(chunk(80, 80)), Optional.empty());
        int before = small.received.size();
        for (int procedure = 100; procedure < 110; procedure++) {
            ByteBuffer rpc = Rpc.call(procedure, procedure, 1).flatten();
            small.send(message(new RdmaMsg(procedure, 32, lists), rpc));
            responder.settle();
        }
        assertThat(small.received).hasSize(before + 10);
        assertThat(responder.count(Counter.ERR_CHUNK_TOO_BIG_SENT)).isEqualTo(10);
        assertThat(warnings()).isEmpty();
        raw.send(inline(Rpc.call(5, EchoProgram.NULL)));
        responder.settle();
    }

    @Test
    void moreProceduresThanTheLimit_allTooLong_areNotWarnedOfWithoutEnd() {
        UnfitReplies replies = new UnfitReplies();
        ByteBuffer accepted = ByteBuffer.allocate(64);
        for (int procedure = 0; procedure < 2 * UnfitReplies.MAX_PROCEDURES; procedure++) {
            CalledProcedure called = new CalledProcedure(7, 1, procedure);
            replies.note(Optional.of(called), procedure, ChunkLists.NONE, RpcMessage.of(accepted), 4096, "too long");
        }
        assertThat(warnings()).hasSize(UnfitReplies.MAX_PROCEDURES);
    }
}
