package org.warpnfs.iwarp.example;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.testkit.NamedTests;

/** The example of docs/verbs.md runs, and is the one that the page shows. */
class PingPongTest {
    private static final String SOURCE = "iwarp/src/test/java/org/warpnfs/iwarp/example/PingPong.java";

    @Test
    @Timeout(60)
    void pingPong_aThousandRounds_endsAsItsInitiatorWants() throws Exception {
        assertThat(PingPong.run(1000).cause()).isEqualTo(DisconnectReason.Cause.LOCAL_CLOSE);
    }

    @Test
    void page_showsTheSourceAsItIs() {
        String source = NamedTests.read(SOURCE.split("/"));
        assertThat(NamedTests.read("docs", "verbs.md")).contains("```java\n" + source + "```");
        assertThat(source.lines().count()).isLessThan(60);
    }
}
