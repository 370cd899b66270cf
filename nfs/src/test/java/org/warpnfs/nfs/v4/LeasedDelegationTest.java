package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Delegations of files that processes of the host use too: the kernel makes them wait for a lease. */
@Timeout(60)
class LeasedDelegationTest {
    private static final int NONE = 0;

    @TempDir
    private Path directory;

    private LocalFileSystem files;
    private V4Server server;
    private V4Client holder;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(directory.resolve("f"), "contents");
        files = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        server = V4Server.exporting(Map.of("/data", files));
        holder = V4Client.callable(server, "holder", 0);
    }

    @AfterEach
    void stop() {
        server.close();
        files.close();
    }

    private Process host(String command) throws IOException {
        return new ProcessBuilder("sh", "-c", command)
                .directory(directory.toFile())
                .start();
    }

    private CallbackSeen awaitRecall() throws InterruptedException {
        CallbackSeen recall = holder.nextCallback();
        while (recall == null) {
            Thread.sleep(10);
            recall = holder.nextCallback();
        }
        return recall;
    }

    private void giveBack(int[] delegation) {
        assertThat(holder.statusOf(new Ops().data().lookup("f").delegReturn(delegation)))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void processThatWrites_waitsUntilAReadDelegationIsBack() throws Exception {
        int[] delegation = holder.delegation("f");
        Process writer = host("echo more >> f");
        CallbackSeen recall = awaitRecall();
        assertThat(writer.isAlive()).isTrue();
        assertThat(Files.size(directory.resolve("f"))).isEqualTo(8);
        holder.answerRecall(recall, 0);
        giveBack(delegation);
        assertThat(writer.waitFor()).isZero();
        assertThat(Files.size(directory.resolve("f"))).isEqualTo(13);
    }

    @Test
    void processThatReads_recallsNoReadDelegation() throws Exception {
        int[] delegation = holder.delegation("f");
        assertThat(host("cat f").waitFor()).isZero();
        assertThat(holder.nextCallback()).isNull();
        giveBack(delegation);
        assertThat(host("echo more >> f").waitFor()).as("no lease is left").isZero();
    }

    @Test
    void processThatReads_waitsUntilAWriteDelegationIsBack() throws Exception {
        Reply opened = holder.run(new Ops().data().open("o", "f", 3, 0));
        assertThat(opened.afterData().openUpToDelegation()).isEqualTo(2);
        int[] delegation = opened.stateid();
        Process reader = host("cat f > /dev/null");
        holder.answerRecall(awaitRecall(), 0);
        assertThat(reader.isAlive()).isTrue();
        giveBack(delegation);
        assertThat(reader.waitFor()).isZero();
    }

    /** The file must not be opened for it, which would break the lease. */
    @Test
    void commit_ofAFileUnderAWriteDelegation_recallsNothing() {
        Reply opened = holder.run(new Ops().data().open("o", "f", 3, 0));
        opened.afterData().op(OpCode.OPEN);
        int[] open = opened.stateid();
        holder.run(new Ops().data().lookup("f").close(open));
        assertThat(holder.statusOf(new Ops().data().lookup("f").commit())).isEqualTo(Nfs4Status.OK);
        assertThat(holder.nextCallback()).isNull();
    }

    @Test
    void file_thatAProcessWrites_isNotDelegated() throws Exception {
        Process writer = host("exec 3>>f; echo ready; read stop");
        assertThat(writer.inputReader().readLine()).isEqualTo("ready");
        assertThat(holder.run(new Ops().data().open("o", "f", 1, 0)).afterData().openUpToDelegation())
                .isEqualTo(NONE);
        writer.destroy();
        writer.waitFor();
    }

    /** A lease to read would not keep readers out. */
    @Test
    void restart_writeDelegationReclaimedByAnOpenToRead_isToBeGivenBack(@TempDir Path state) throws Exception {
        server.close();
        server = V4Server.restarting(state, files);
        holder = V4Client.callable(server, "holder", 0);
        holder.writeDelegation("f");
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();
        holder.answerNull(holder.nextCallback());
        Reply reclaimed = holder.run(new Ops().data().lookup("f").openPreviousDelegatedToWriteForReading("o"));
        reclaimed.afterFile();
        giveBack(reclaimed.readWriteDelegation());
        assertThat(reclaimed.bool()).as("it is recalled").isTrue();
    }

    /** The files, where something happens when a lease was taken. It is given what tells of a break. */
    private FileSystem leasing(Consumer<Runnable> taken) {
        return (FileSystem) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FileSystem.class}, (_, method, arguments) -> {
                    try {
                        Object result = method.invoke(files, arguments);
                        if (method.getName().equals("lease")) {
                            taken.accept((Runnable) arguments[2]);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Reply reclaimAfterRestart() {
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();
        holder.answerNull(holder.nextCallback());
        Reply reclaimed = holder.run(new Ops().data().lookup("f").openPreviousDelegatedToWrite("o"));
        return reclaimed.afterFile();
    }

    @Test
    void restart_leaseThatBreaksBeforeTheReclaim_givesNoDelegation(@TempDir Path state) {
        server.close();
        server = V4Server.restarting(state, leasing(Runnable::run));
        holder = V4Client.callable(server, "holder", 0);
        holder.run(new Ops().data().open("o", "f", 3, 0));
        assertThat(reclaimAfterRestart().openUpToDelegation()).isEqualTo(NONE);
    }

    /** It may not be kept until the grace period is over, as one that no process waits for. */
    @Test
    void restart_leaseThatBreaksAfterAReclaimThatIsRecalled_isRevokedInTime(@TempDir Path state) throws Exception {
        server.close();
        AtomicReference<Runnable> breaking = new AtomicReference<>(() -> {});
        server = V4Server.restarting(state, leasing(told -> {
            breaking.set(told);
            server.program().setDelegations(DelegationPolicy.NONE);
        }));
        holder = V4Client.callable(server, "holder", 0);
        holder.run(new Ops().data().open("o", "f", 3, 0));
        server.program().setDelegations(DelegationPolicy.WRITE);
        Reply reclaimed = reclaimAfterRestart();
        int[] delegation = reclaimed.readWriteDelegation();
        assertThat(reclaimed.bool()).as("it is recalled").isTrue();
        breaking.get().run();
        server.pass(Duration.ofSeconds(41));
        while (holder.tested(delegation) != Nfs4Status.DELEG_REVOKED) {
            Thread.sleep(10);
        }
    }

    @Test
    void client_thatDoesNotReturnIt_losesItBeforeTheKernelLetsTheProcessGoOn() throws Exception {
        int[] delegation = holder.delegation("f");
        Process writer = host("echo more >> f");
        awaitRecall();
        server.pass(Duration.ofSeconds(41));
        assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(holder.tested(delegation)).isEqualTo(Nfs4Status.DELEG_REVOKED);
    }
}
