package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** What happens while a call of the backend is under way. */
@Timeout(60)
class DelegationRaceTest {
    private static final int NO_DELEGATION = 0;
    private static final int WANT_TIMESTAMPS = 0x0010_0000;
    private static final int TIME_DELEG_MODIFY = 85;
    private static final long BEGIN = 1_000_000_000L;

    /** What happens next inside a call of that name, once. */
    private final Map<String, Runnable> inside = new HashMap<>();

    private final V4Server server = V4Server.through(target -> hooked(FileSystem.class, target));

    @BeforeEach
    void begin() {
        server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private <T> T hooked(Class<T> type, T target) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, called, arguments) -> {
                    Runnable hook = inside.remove(called.getName());
                    if (hook != null) {
                        hook.run();
                    }
                    try {
                        Object result = called.invoke(target, arguments);
                        return result instanceof OpenFile file ? hooked(OpenFile.class, file) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static int delegationOf(V4Client reader) {
        return reader.run(new Ops().data().open("r", "f", 1, 0)).afterData().openUpToDelegation();
    }

    /** What the holder answered to CB_GETATTR is then older than what it has sent. */
    @Test
    void holder_thatSendsItsTimesWhileItsAnswerIsNoted_isNotSetBack() throws Exception {
        server.program().setDelegations(DelegationPolicy.WRITE);
        server.program().setPatience(Duration.ofSeconds(30));
        FileHandle file = server.find("f");
        TimeChange begin = new TimeChange.To(new Timestamp(BEGIN, 0));
        server.fs.setAttributes(Caller.ROOT, file, new AttributeChanges(null, null, null, null, begin, begin));
        V4Client holder = V4Client.callable(server, "holder", 0);
        Reply opened = holder.run(new Ops().data().open("o", "f", 3 | WANT_TIMESTAMPS, 0));
        assertThat(opened.afterData().openUpToDelegation()).isEqualTo(5);
        int[] delegation = opened.stateid();
        V4Client other = V4Client.mounted(server, "other", 0);
        inside.put(
                "setAttributes",
                () -> holder.run(new Ops()
                        .data()
                        .lookup("f")
                        .setAttr(
                                delegation,
                                Fattr.none()
                                        .with(
                                                TIME_DELEG_MODIFY,
                                                new CallWriter()
                                                        .hyper(BEGIN + 200)
                                                        .words(0)))
                        .delegReturn(delegation)));

        CompletableFuture<Reply> reply = CompletableFuture.supplyAsync(
                () -> other.send(new Ops().data().lookup("f").getAttrs(Fattr.SIZE)));
        CallbackSeen question = null;
        while (question == null) {
            question = holder.nextCallback();
            Thread.onSpinWait();
        }
        holder.answerGetAttr(question, -1, 100, BEGIN + 100, BEGIN + 100);

        assertThat(reply.get(30, TimeUnit.SECONDS).status()).isEqualTo(Nfs4Status.OK);
        assertThat(server.fs.attributes(file).modifyTime().seconds()).isGreaterThanOrEqualTo(BEGIN + 200);
    }

    /** The write would change what the reader has in its cache. */
    @Test
    void file_thatARestartedClientStillWritesTo_isNotDelegated() throws Exception {
        V4Client writer = V4Client.mounted(server, "writer", 0);
        int[] open = writer.open("w", "f", 2);
        V4Client reader = V4Client.callable(server, "reader", 0);
        int[] granted = {-1};
        inside.put("write", () -> {
            V4Client restarted = new V4Client(server, "writer", 2, 0);
            restarted.verifier = 99;
            restarted.connect();
            granted[0] = delegationOf(reader);
        });

        writer.send(new Ops().data().lookup("f").write(open, 0, 2, "x"));

        assertThat(granted[0]).isEqualTo(NO_DELEGATION);
        // The open of the old client ends with the write, on a thread of its own.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        int later = delegationOf(reader);
        while (later != 1 && System.nanoTime() - deadline < 0) {
            Thread.sleep(5);
            later = delegationOf(reader);
        }
        assertThat(later).as("when the write has ended").isEqualTo(1);
    }
}
