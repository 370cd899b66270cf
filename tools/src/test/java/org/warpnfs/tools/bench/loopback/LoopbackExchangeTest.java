package org.warpnfs.tools.bench.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoopbackExchangeTest {
    @Test
    void exchanges_ofEachShape_complete() throws Exception {
        int[][] shapes = {{192, 1 << 20, 8}, {1 << 20, 192, 8}, {192, 4288, 32}, {1, 1, 1}, {3 << 20, 3 << 20, 1}};
        for (int[] shape : shapes) {
            LoopbackExchange.Result result =
                    new LoopbackExchange(shape[0], shape[1], shape[2]).run(Duration.ofMillis(100));
            assertThat(result.exchanges()).isPositive();
            assertThat(result.seconds()).isGreaterThanOrEqualTo(0.1);
        }
    }
}
