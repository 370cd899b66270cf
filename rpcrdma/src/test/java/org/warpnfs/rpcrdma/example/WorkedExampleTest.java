package org.warpnfs.rpcrdma.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;

/** docs/rpc-over-rdma.md says what these files say, and that works. */
@Timeout(60)
class WorkedExampleTest {
    private static final Path SOURCES = Path.of("src/test/java/org/warpnfs/rpcrdma/example");
    private static final Path DOCUMENT = Path.of("../docs/rpc-over-rdma.md");
    private static final Pattern CODE = Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"short", "a text that fits inline no more, since it is repeated"})
    void example_run_answersAlikeOverRdmaAndTcp(String word) throws Exception {
        String text = word.repeat(word.length() > 10 ? 1000 : 1);
        String reversed = new StringBuilder(text).reverse().toString();
        assertThat(ServeAndCall.run(text)).containsExactly(reversed, reversed);
    }

    @Test
    void longRunningServer_closed_hasServedUntilThen() throws Exception {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        LongRunningServer server =
                new LongRunningServer(Map.of(ReverseServerStub.PROGRAM, new Reverse()), anyPort, anyPort);
        try (IwarpTransport iwarp = new IwarpTransport();
                RpcRequesters requesters = new RpcRequesters(1)) {
            Requester overRdma = requesters.overRdma(
                    iwarp.connector(),
                    server.rdmaAddress(),
                    RequesterOptions.DEFAULT,
                    RetryPolicy.NONE,
                    BackwardCalls.NONE);
            Requester overTcp = requesters.overTcp(
                    server.tcpAddress(), TcpRequesterOptions.DEFAULT, RetryPolicy.NONE, BackwardCalls.NONE);
            assertThat(ServeAndCall.reverse(overRdma, "abc")).isEqualTo("cba");
            assertThat(ServeAndCall.reverse(overTcp, "abc")).isEqualTo("cba");
            server.close();
            assertThatThrownBy(() -> ServeAndCall.reverse(overRdma, "abc")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> ServeAndCall.reverse(overTcp, "abc")).isInstanceOf(IOException.class);
        } finally {
            server.close();
        }
    }

    @Test
    void document_codeBlocks_areTheSourcesFromTheirFirstTypeOn() throws IOException {
        assertThat(CODE.matcher(Files.readString(DOCUMENT)).results().map(MatchResult::group))
                .containsExactly(
                        block("ReverseServerStub"),
                        block("Reverse"),
                        block("ServeAndCall"),
                        block("LongRunningServer"));
    }

    /** A file without its package, imports and header comment. */
    private static String block(String name) throws IOException {
        String source = Files.readString(SOURCES.resolve(name + ".java"));
        int begin = source.indexOf("*/\n") + 3;
        return "```java\n" + source.substring(begin) + "```";
    }
}
