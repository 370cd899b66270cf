package org.warpnfs.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcceptPauseTest {
    @Test
    void accept_fails_restsOnceAndGoesOn() {
        List<String> heard = new ArrayList<>();
        EmbeddedChannel listener =
                new EmbeddedChannel(new AcceptPause(() -> heard.add("failed"), () -> heard.add("rests")));
        listener.freezeTime();
        for (int round = 1; round <= 2; round++) {
            listener.pipeline().fireExceptionCaught(new IOException("as if there were no descriptor left"));
            listener.pipeline().fireExceptionCaught(new IOException("and once more"));
            assertThat(heard).as("one rest for both").containsExactly("failed", "rests", "failed");
            assertThat(listener.config().isAutoRead()).isFalse();
            listener.advanceTimeBy(1, TimeUnit.SECONDS);
            listener.runScheduledPendingTasks();
            assertThat(listener.config().isAutoRead()).isTrue();
            heard.clear();
        }
        listener.finishAndReleaseAll();
    }
}
