package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code warpnfs probe}: checks the health of a server. Prints one line; exit status 0 if the server is well, else 1.
 */
@Command(
        name = "probe",
        description = "Checks whether a running server is ready: exit status 0 if it is, else 1, and one line with "
                + "the reason.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class ProbeCommand implements Callable<Integer> {
    private static final int CONNECT_MILLIS = 3000;
    private static final int READ_MILLIS = 15_000;
    private static final int GOOD = 200;
    private static final int MAX_ANSWER_BYTES = 4096;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--http",
            paramLabel = "ADDR:PORT",
            description = "The server's HTTP address, as in serve --http. Default: " + HttpAddress.DEFAULT + ".")
    private String http = HttpAddress.DEFAULT;

    @Option(
            names = "--deep",
            description = "Make the server call itself over TCP and RDMA: NULL, and GETATTR of the root.")
    private boolean deep;

    @Option(names = "--alive", description = "Check only whether the server is alive, for liveness probes.")
    private boolean alive;

    @Override
    public Integer call() throws ConfigException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        InetSocketAddress address = HttpAddress.parse(http);
        if (address == null) {
            throw new ConfigException("--http off: a server without HTTP cannot be probed; name an address");
        }
        boolean good = ask(address, alive ? "/healthz" : deep ? "/readyz?deep" : "/readyz", out);
        out.flush();
        return good ? 0 : Main.FAILURE;
    }

    private boolean ask(InetSocketAddress address, String path, PrintWriter out) {
        InetAddress host =
                address.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address.getAddress();
        String literal = host.getHostAddress();
        String authority = (literal.indexOf(':') < 0 ? literal : "[" + literal.replaceFirst("%.*", "") + "]") + ":"
                + address.getPort();
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://" + authority + path).toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(CONNECT_MILLIS);
            connection.setReadTimeout(READ_MILLIS);
            connection.setInstanceFollowRedirects(false);
            int status = connection.getResponseCode();
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                String text = in == null ? "" : new String(in.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
                out.println(Table.printable(text.lines().findFirst().orElse("status " + status)));
            }
            return status == GOOD;
        } catch (IOException e) {
            if (alive && e instanceof SocketException && !(e instanceof ConnectException)) {
                // The server accepts and closes connections beyond its limit, so it works. A few peers that keep all
                // connections for themselves must be no reason to end it.
                out.println("alive: the server closed the connection, as it does while all that it permits are taken");
                return true;
            }
            out.println("no answer from " + authority + ": " + e.getMessage());
            return false;
        }
    }
}
