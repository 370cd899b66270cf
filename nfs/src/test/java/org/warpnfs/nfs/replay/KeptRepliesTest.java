package org.warpnfs.nfs.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Identity;
import org.warpnfs.testkit.LiveHeap;

/** What kept replies are charged is at least what they take. */
class KeptRepliesTest {
    private static final int REPLIES = 20_000;

    private final ReplyBudget budget = new ReplyBudget(Long.MAX_VALUE);
    private final List<ClientReplies> clients = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"0, 4, 1", "16, 4, 1", "16, 16, 1", "-1, 4, 1", "0, 16, 20000", "16, 16, 20000"})
    void replies_kept_areChargedWhatTheyTake(int groups, int addressBytes, int addresses) throws Exception {
        long before = LiveHeap.bytes();

        for (int i = 0; i < REPLIES; i++) {
            if (i % (REPLIES / addresses) == 0) {
                clients.add(new ClientReplies(ClientAddress.of(address(addressBytes, i)), budget, budget));
            }
            CallKey key = new CallKey(address(addressBytes, i), i, 100_003, 3, 7, identity(groups, i), i * 31L);
            ClientReplies client = clients.getLast();
            client.keep(key, new RememberedCall.Outcome.Kept(EncodedReply.of(XdrVoid.XDR_VOID), i % 2 == 0), 0);
        }
        long taken = LiveHeap.bytes() - before;

        assertThat(budget.bytes()).as("charged").isBetween(taken, 2 * taken);
        clients.forEach(client -> client.sweep(Long.MAX_VALUE, REPLIES));
        assertThat(budget.bytes()).isZero();
    }

    private static InetAddress address(int bytes, int number) throws UnknownHostException {
        byte[] address = new byte[bytes];
        address[0] = 0x20;
        address[1] = (byte) (number >> 16);
        address[2] = (byte) (number >> 8);
        address[3] = (byte) number;
        return InetAddress.getByAddress(address);
    }

    /** @param groups -1 for Kerberos */
    private static Identity identity(int groups, int number) {
        return groups < 0
                ? new Identity.KerberosUser(Flavor.KRB5, "a user with a long name " + number + "@EXAMPLE.ORG")
                : new Identity.SystemUser(
                        1000 + number,
                        1000,
                        LongStream.range(0, groups)
                                .map(n -> 100_000 + n)
                                .boxed()
                                .toList());
    }
}
