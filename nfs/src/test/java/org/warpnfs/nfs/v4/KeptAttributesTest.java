package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Attributes that one operation of a COMPOUND has read, for the operations behind it. */
class KeptAttributesTest {
    private static final int READ = 1;

    private final AtomicInteger asked = new AtomicInteger();
    private Runnable afterLookup = () -> {};
    private final V4Server server = V4Server.through(this::counting);
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @BeforeEach
    void begin() {
        server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
        server.newFile("longer", 0666, "some more contents".getBytes(StandardCharsets.US_ASCII));
        asked.set(0);
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Counts how often attributes of a file are asked for. */
    private FileSystem counting(FileSystem target) {
        return (FileSystem) Proxy.newProxyInstance(
                FileSystem.class.getClassLoader(), new Class<?>[] {FileSystem.class}, (_, called, arguments) -> {
                    if (called.getName().equals("attributes")) {
                        asked.incrementAndGet();
                    }
                    try {
                        Object result = called.invoke(target, arguments);
                        if (called.getName().equals("lookup")) {
                            Runnable next = afterLookup;
                            afterLookup = () -> {};
                            next.run();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void fileWrittenBackWhileItIsLookedUp_hasTheAttributesFromAfterThat() {
        server.program().setDelegations(DelegationPolicy.WRITE);
        V4Client holder = V4Client.callable(server, "holder", 0);
        int[] delegation = holder.writeDelegation("f");
        byte[] handle = client.run(file().getFh()).afterFile().getFh();
        afterLookup = () -> {
            holder.run(new Ops().putFh(handle).write(delegation, 8, 2, new byte[92]));
            holder.run(new Ops().putFh(handle).delegReturn(delegation));
        };

        Reply reply = client.run(file().getAttrs(Fattr.SIZE));

        reply.afterFile();
        assertThat(sizeIn(reply)).isEqualTo(100);
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private static long sizeIn(Reply reply) {
        reply.getAttrs(Fattr.SIZE);
        return reply.hyper();
    }

    @Test
    void getattrBehindLookup_takesWhatTheLookupHasRead() {
        Reply reply = client.run(file().getFh().getAttrs(Fattr.SIZE));

        reply.afterFile().getFh();
        assertThat(sizeIn(reply)).isEqualTo(8);
        assertThat(asked).hasValue(0);
    }

    @Test
    void accessAndGetattr_ofTheSameFile_askOnceForBoth() {
        byte[] handle = client.run(file().getFh()).afterFile().getFh();
        asked.set(0);

        Reply reply = client.run(new Ops().putFh(handle).op(OpCode.ACCESS, READ).getAttrs(Fattr.SIZE));

        reply.op(OpCode.PUTFH);
        reply.op(OpCode.ACCESS);
        reply.words(2);
        assertThat(sizeIn(reply)).isEqualTo(8);
        assertThat(asked).hasValue(1);
    }

    @Test
    void fileChangedBetweenLookupAndGetattr_hasItsNewAttributes() {
        Reply reply = client.run(file().setAttr(Fattr.size(5)).getAttrs(Fattr.SIZE));

        reply.afterFile().op(OpCode.SETATTR);
        reply.bitmap();
        assertThat(sizeIn(reply)).isEqualTo(5);
    }

    @Test
    void anotherFileBetweenLookupAndGetattr_hasAttributesOfItsOwn() {
        byte[] longer = client.run(new Ops().data().lookup("longer").getFh())
                .afterFile()
                .getFh();

        Reply reply = client.run(file().op(OpCode.SAVEFH)
                .putFh(longer)
                .getAttrs(Fattr.SIZE)
                .op(OpCode.RESTOREFH)
                .getAttrs(Fattr.SIZE));

        reply.afterFile().op(OpCode.SAVEFH);
        reply.op(OpCode.PUTFH);
        assertThat(sizeIn(reply)).isEqualTo(18);
        reply.op(OpCode.RESTOREFH);
        assertThat(sizeIn(reply)).isEqualTo(8);
    }
}
