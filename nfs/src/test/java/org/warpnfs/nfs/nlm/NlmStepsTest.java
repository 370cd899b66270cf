package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileSystem;

/** What one call of a host looks at when others hold all that there may be: its own, counted by who is asked about. */
class NlmStepsTest {
    private static final int MANY = 4000;

    private final FileSystem files = new MemoryFileSystem(1 << 20, 100);
    private final FileIdentity file = new FileIdentity(1, FileHandle.of(new byte[] {1}));
    private int asked;

    private static NlmHost host(int number) throws Exception {
        byte[] address = {10, 1, (byte) (number >> 8), (byte) number};
        return new NlmHost(InetAddress.getByAddress(address), "host" + number);
    }

    private static Netobj owner(int number) {
        return Netobj.of(("o" + number).getBytes(StandardCharsets.US_ASCII));
    }

    private boolean isAsked(NlmHost host) {
        asked++;
        return host.name().startsWith("host");
    }

    private NlmStatus share(NlmShares shares, int number, int deny, int access) throws Exception {
        Netobj none = owner(0);
        return shares.share(
                host(number), file, files, new ShareArgs(none, "host", none, owner(number), deny, access, false));
    }

    @Test
    void freeAll_amongManyHosts_looksAtThoseOfItsAddress() throws Exception {
        HostHoldings holdings = new HostHoldings(2 * MANY);
        NlmShares shares = new NlmShares(2 * MANY);
        for (int i = 0; i < MANY; i++) {
            holdings.set(new HostHoldings.Place(files, file, new NlmOwner(host(i), i, owner(i))), 1);
            assertThat(share(shares, i, 0, 1)).isEqualTo(NlmStatus.GRANTED);
        }

        assertThat(holdings.of(host(7).address(), this::isAsked)).hasSize(1);
        shares.free(host(7).address(), this::isAsked, _ -> true);

        assertThat(asked).isEqualTo(2);
        assertThat(shares.count()).isEqualTo(MANY - 1);
        assertThat(shares.namesAt(host(7).address())).isEmpty();
        assertThat(shares.namesAt(host(8).address())).containsExactly("host8");
        assertThat(holdings.namesAt(host(7).address())).containsExactly("host7");
    }

    /** Counted, and not searched: against each other, in every combination, and after each kind of end. */
    @Test
    void share_everyCombinationOfModes_conflictsAsTheModesSay() throws Exception {
        for (int first = 0; first < 16; first++) {
            for (int second = 0; second < 16; second++) {
                NlmShares shares = new NlmShares(100);
                share(shares, 1, 3, 3);
                assertThat(share(shares, 1, first >> 2, first & 3))
                        .as("replaced")
                        .isEqualTo(NlmStatus.GRANTED);
                boolean conflicts = ((first >> 2) & second & 3) != 0 || (first & 3 & (second >> 2)) != 0;
                assertThat(share(shares, 2, second >> 2, second & 3))
                        .as("%s %s", first, second)
                        .isEqualTo(conflicts ? NlmStatus.DENIED : NlmStatus.GRANTED);

                shares.free(host(1).address(), _ -> true, _ -> true);
                assertThat(share(shares, 2, second >> 2, second & 3)).isEqualTo(NlmStatus.GRANTED);
                shares.withdraw(files);
                assertThat(shares.count()).isZero();
                assertThat(share(shares, 3, 3, 3)).isEqualTo(NlmStatus.GRANTED);
            }
        }
    }
}
