package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.qp.LocalRnic;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.ProtectionDomain;

/**
 * Nobody can guess an STag of the product (RFC 5042, section 6.2.2), even a peer that has seen many.
 * {@code SecurityRulesTest} forbids every source of random numbers that is not secure.
 */
class StagsOfATransportTest {
    private static final int SHOWN = 256;
    private static final long MULTIPLIER = 0x5DEECE66DL;
    private static final long ADDEND = 0xBL;
    private static final long MASK = (1L << 48) - 1;

    private static List<Integer> stags(ProtectionDomain domain) {
        List<Integer> stags = new ArrayList<>();
        for (int i = 0; i < SHOWN; i++) {
            stags.add((int) domain.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.REMOTE_READ))
                    .stag());
        }
        return stags;
    }

    private static List<Integer> ofATransport() {
        try (IwarpTransport transport = new IwarpTransport();
                ProtectionDomain domain = transport.createProtectionDomain()) {
            return stags(domain);
        }
    }

    /**
     * Whether two successive STags determine the next one, as those of java.util.Random do. Of its state 16 bits are
     * unknown.
     */
    private static boolean predictable(List<Integer> stags, boolean reversed) {
        for (int i = 0; i + 2 < stags.size(); i++) {
            long first = Integer.toUnsignedLong(word(stags.get(i), reversed)) << 16;
            for (int unknown = 0; unknown < 1 << 16; unknown++) {
                long second = next(first | unknown);
                if ((int) (second >>> 16) == word(stags.get(i + 1), reversed)
                        && (int) (next(second) >>> 16) == word(stags.get(i + 2), reversed)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static int word(int stag, boolean reversed) {
        return reversed ? Integer.reverseBytes(stag) : stag;
    }

    private static long next(long state) {
        return (state * MULTIPLIER + ADDEND) & MASK;
    }

    @Test
    void shownManyStags_peerCannotPredictTheNext() {
        List<Integer> stags = ofATransport();
        assertThat(predictable(stags, false)).isFalse();
        assertThat(predictable(stags, true)).isFalse();
        assertThat(stags).doesNotHaveDuplicates();
    }

    /** The attack succeeds on an ordinary random source. Otherwise the test above would prove nothing. */
    @Test
    void shownStagsOfAnOrdinaryRandom_peerPredictsTheNext() {
        LocalRnic ordinary = new LocalRnic(new Random(), RnicLimits.defaults());
        List<Integer> stags = stags(ordinary.createProtectionDomain());
        assertThat(predictable(stags, false) || predictable(stags, true)).isTrue();
    }

    /**
     * A constant, or a generator that always starts in the same state, would give the same STags to the next transport.
     */
    @Test
    void twoTransports_theirStags_haveNothingInCommon() {
        List<Integer> first = ofATransport();
        List<Integer> second = ofATransport();
        assertThat(first.subList(0, 8)).isNotEqualTo(second.subList(0, 8));
        HashSet<Integer> common = new HashSet<>(first);
        common.retainAll(second);
        // By chance, one pair in 65,536 is the same.
        assertThat(common).hasSizeLessThan(3);
        // STags are not numbered either: no difference between neighbours occurs repeatedly.
        HashSet<Integer> differences = new HashSet<>();
        for (int i = 1; i < first.size(); i++) {
            differences.add(first.get(i) - first.get(i - 1));
        }
        assertThat(differences).hasSizeGreaterThan(SHOWN - 4);
    }
}
