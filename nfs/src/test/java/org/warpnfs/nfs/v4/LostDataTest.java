package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** COMPOUNDs of NFSv4.0 whose data cannot be read any more when their reply is to be kept. */
class LostDataTest {
    private static final int READ_BYTES = 65_536;

    private final AtomicInteger lent = new AtomicInteger();
    private final V4Server server = V4Server.through(this::losing);

    @AfterEach
    void close() {
        server.close();
    }

    /** Files whose data are lost between READ and the reply. */
    private FileSystem losing(FileSystem files) {
        return wrapped(FileSystem.class, files);
    }

    private <T> T wrapped(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                FileSystem.class.getClassLoader(), new Class<?>[] {type}, (_, called, arguments) -> {
                    if (called.getName().equals("lend")) {
                        return Optional.of(lostPages());
                    }
                    try {
                        Object result = called.invoke(target, arguments);
                        return result instanceof OpenFile file ? wrapped(OpenFile.class, file) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private LentPages lostPages() {
        Arena arena = Arena.ofShared();
        ByteBuffer lost = arena.allocate(READ_BYTES).asByteBuffer();
        arena.close();
        lent.incrementAndGet();
        return new LentPages() {
            @Override
            public List<ByteBuffer> buffers() {
                return List.of(lost);
            }

            @Override
            public void close() {
                lent.decrementAndGet();
            }
        };
    }

    /** A change, whose reply is kept, and a READ. */
    private byte[] message(byte[] file) {
        Ops ops = new Ops().data().makeDirectory("d").putFh(file).read(Ops.ANONYMOUS, 0, READ_BYTES);
        return new V4Client(server, "c", 0, 0).message("tag", 0, ops);
    }

    @Test
    void reply_thatCannotBeKeptAfterAChangeOfThreads_leavesNoCallBehind() throws Exception {
        byte[] file = server.newFile("f", "0".repeat(READ_BYTES));
        byte[] message = message(file);
        ReplyKeeper connection = V4Server.newConnection(1, 700).withLanes();
        assertThat(connection.call(server.program(), message)).isNull();

        assertThatThrownBy(connection::goOn).isInstanceOf(IllegalStateException.class);

        assertThat(lent).hasValue(0);
        ReplyKeeper again = V4Server.newConnection(1, 701);
        assertThat(new Reply(again.call(server.program(), message)).status())
                .as("the repetition is performed, and finds the directory")
                .isEqualTo(Nfs4Status.EXIST);
    }
}
