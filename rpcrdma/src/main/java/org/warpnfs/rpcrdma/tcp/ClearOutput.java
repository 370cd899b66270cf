package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.Pieces;
import org.warpnfs.sockets.PieceWriter;

/** The output of a connection in clear. */
final class ClearOutput implements RecordOutput {
    private final Channel channel;
    private final PieceWriter writer;

    ClearOutput(Channel channel) {
        this.channel = channel;
        this.writer = new PieceWriter(channel);
    }

    @Override
    public void write(Pieces pieces, Consumer<@Nullable Throwable> done) {
        writer.write(pieces, done);
    }

    @Override
    public void flush() {
        writer.flush();
    }

    @Override
    public long progressBytes() {
        return writer.progressBytes();
    }

    @Override
    public boolean takesRanges() {
        return PieceWriter.takesRanges(channel);
    }
}
