package org.warpnfs.server.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.limits.ServerLimits;

class StatusPageTest {
    @TempDir
    private Path temporary;

    private static String page() throws IOException {
        try (InputStream in = Watch.class.getResourceAsStream("status.html")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void page_takesNothingFromElsewhere() throws Exception {
        assertThat(page())
                .doesNotContain("innerHTML", "insertAdjacentHTML", "document.write", "eval(", "<img", "@import", "url(")
                .doesNotContainPattern("<(script|link|iframe)[^>]*(src|href)=\"(?!data:)")
                .doesNotContainPattern(Pattern.compile("https?://(?!www\\.w3\\.org/2000/svg)"));
        try (Watch watch = Watch.start("1", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            String policy = URI.create("http://127.0.0.1:" + watch.address().getPort() + "/")
                    .toURL()
                    .openConnection(java.net.Proxy.NO_PROXY)
                    .getHeaderField("Content-Security-Policy");
            assertThat(policy).contains("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'");
        }
    }

    @Test
    void page_isForPhonesAndForDarkRooms() throws Exception {
        assertThat(page())
                .contains(
                        "width=device-width", "prefers-color-scheme: dark", "color-scheme: light dark", "lang=\"en\"");
    }

    /** Loads the page in Chromium if that is installed. The page's own script fills in the values. */
    @Test
    void page_inABrowser_showsTheServer() throws Exception {
        Path chromium = Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(chromium != null, "no Chromium");
        try (Watch watch = Watch.start("1.2.3", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                WarpServer server = WarpServer.start(
                        InMemory.config(":/films <b>", 16 << 20, Duration.ofSeconds(5)),
                        ServerLimits.DEFAULT,
                        watch.recorder())) {
            watch.serves(server);
            NfsCall.of(1, NfsCall.MOUNT, 3, 5, 0).overTcp(server.tcpAddress());
            Path dom = temporary.resolve("dom");
            Process browser = new ProcessBuilder(List.of(
                            chromium.toString(),
                            "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-dev-shm-usage",
                            "--user-data-dir=" + temporary.resolve("profile"),
                            "--window-size=390,844",
                            "--virtual-time-budget=4000",
                            "--dump-dom",
                            "http://127.0.0.1:" + watch.address().getPort() + "/"))
                    .redirectOutput(dom.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                assertThat(browser.waitFor(120, TimeUnit.SECONDS)).isTrue();
            } finally {
                browser.destroyForcibly().waitFor();
            }
            assertThat(Files.readString(dom))
                    .contains(
                            "data-shown=\"yes\"",
                            "<span id=\"state\" class=\"good\">ready</span>",
                            "version 1.2.3",
                            "<td class=\"path\">/films &lt;b&gt;</td>",
                            "<span>payload memory</span>")
                    // Both names may be long. They wrap, so that the page is not wider than a phone's screen.
                    .containsPattern("<td class=\"path\">/films[^/]*</td><td class=\"path\">");
        }
    }
}
