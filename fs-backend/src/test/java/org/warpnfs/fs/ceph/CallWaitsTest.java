package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.ClientAddress;

/** Which calls are refused while others wait for a daemon that does not answer. */
class CallWaitsTest {
    private static final long SLOW = Duration.ofSeconds(5).toNanos();
    private static final long START = Long.MAX_VALUE - SLOW / 2;

    private final CallWaits waits = new CallWaits(new Patience(Duration.ofNanos(SLOW), 3, 3, 2));

    private static FileHandle file(int number) {
        return FileHandle.of(new byte[] {(byte) number});
    }

    private CallWaits.Call begin(FileHandle file) throws FsException {
        return begin(null, file);
    }

    private CallWaits.Call begin(ClientAddress client, FileHandle file) throws FsException {
        return waits.begin(client, file, START);
    }

    private static ClientAddress client(int number) throws UnknownHostException {
        return ClientAddress.of(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}));
    }

    private void refused(FileHandle file) {
        refused(null, file);
    }

    private void refused(ClientAddress client, FileHandle file) {
        assertThatThrownBy(() -> begin(client, file))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.TRY_LATER));
    }

    @Test
    void calls_thatAreNotSlow_refuseNothing() throws Exception {
        for (int i = 0; i < 100; i++) {
            var _ = begin(file(1));
        }
        waits.look(START + SLOW - 1);
        waits.end(begin(file(1)));
        assertThat(waits.fault()).isEmpty();
    }

    @Test
    void slowCalls_forOneFile_refuseCallsForItAlone() throws Exception {
        List<CallWaits.Call> calls = new ArrayList<>(List.of(begin(file(1)), begin(file(1))));
        waits.look(START + SLOW);
        refused(file(1));
        waits.end(begin(file(2)));
        assertThat(waits.fault()).as("others may keep the file waiting").isEmpty();
        waits.look(START + Duration.ofSeconds(31).toNanos());
        assertThat(waits.fault()).contains("2 calls wait for Ceph, for up to 31 s");
        waits.end(calls.removeLast());
        waits.end(begin(file(1)));
    }

    @Test
    void slowCalls_many_refuseAllUntilOneEnds() throws Exception {
        CallWaits.Call first = begin(file(1));
        var _ = begin(file(2));
        var _ = waits.begin(null, null, START);
        waits.look(START + SLOW);
        refused(file(3));
        assertThatThrownBy(() -> waits.begin(null, null, START)).isInstanceOf(FsException.class);
        assertThat(waits.fault()).contains("3 calls wait for Ceph, for up to 5 s");
        waits.end(first);
        waits.look(START + SLOW);
        waits.end(begin(file(3)));
        assertThat(waits.fault()).isEmpty();
    }

    /** It opens files of which another client of Ceph has delegations that it does not return. */
    @Test
    void slowCalls_ofOneClient_refuseItAloneAndItsFiles() throws Exception {
        List<CallWaits.Call> calls = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            calls.add(begin(client(1), file(i / 4)));
        }
        waits.look(START + SLOW);

        refused(client(1), file(5));
        refused(client(1), null);
        refused(client(2), file(1));
        waits.end(begin(client(2), file(5)));
        waits.end(begin(client(2), null));
        waits.end(begin(null, file(5)));
        assertThat(waits.fault()).as("Ceph answers").isEmpty();

        calls.forEach(waits::end);
        waits.end(begin(client(1), file(1)));
    }

    @Test
    void slowCalls_ofManyClients_refuseAll() throws Exception {
        List<CallWaits.Call> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(begin(client(i), file(i)));
        }
        waits.look(START + SLOW);

        refused(client(4), file(4));
        assertThat(waits.fault()).contains("3 calls wait for Ceph, for up to 5 s");

        waits.end(calls.removeLast());
        waits.end(begin(client(4), file(4)));
    }

    @Test
    void probe_thatIsSlow_refusesAllUntilItEnds() throws Exception {
        CallWaits.Call probe = waits.beginProbe(START);
        waits.end(begin(file(1)));
        waits.look(START + SLOW);
        refused(file(1));
        assertThat(waits.fault()).contains("the metadata server of Ceph has not answered for 5 s");
        waits.end(probe);
        waits.end(begin(file(1)));
        assertThat(waits.fault()).isEmpty();
    }

    @Test
    void callsThatEndWhileTheyBecomeSlow_areCountedOut() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        int rounds = 10_000;
        int faults = 0;
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<?> looking = thread.submit(() -> {
                for (int round = 0; round < rounds; round++) {
                    both.await();
                    waits.look(START + SLOW);
                    both.await();
                }
                return null;
            });
            for (int round = 0; round < rounds; round++) {
                List<CallWaits.Call> calls = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    calls.add(waits.beginProbe(START));
                }
                both.await();
                calls.forEach(waits::end);
                both.await();
                faults += waits.fault().isPresent() ? 1 : 0;
            }
            looking.get();
        }
        assertThat(faults)
                .as("rounds after which no call is left and calls are refused")
                .isZero();
    }
}
