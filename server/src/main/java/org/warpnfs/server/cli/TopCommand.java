package org.warpnfs.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.admin.AdminClient;
import org.warpnfs.server.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code warpnfs top}: shows the current load of a running server. */
@Command(
        name = "top",
        description = {
            "Shows the current load of a running server.",
            "It shows operations, bytes and latency by transport and operation, the busiest clients, and "
                    + "resources that are "
                    + "short. "
                    + "On a terminal it refreshes in place until Ctrl-C; otherwise it prints a block of lines "
                    + "each time. "
                    + "If the server ends, top waits until it is back; with --json it exits."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class TopCommand implements Callable<Integer> {
    private static final double LEAST_SECONDS = 0.1;
    private static final double MOST_SECONDS = 3600;
    private static final double MILLIS = 1000;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private AdminPlace place = new AdminPlace();

    @Option(names = "--interval", paramLabel = "SECONDS", description = "Interval between updates. Default: 2.")
    private double intervalSeconds = 2;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "Exit after this many updates. Default: run until Ctrl-C.")
    private @Nullable Integer count;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        if (!(intervalSeconds >= LEAST_SECONDS && intervalSeconds <= MOST_SECONDS)) {
            throw new ConfigException("--interval " + intervalSeconds + ": not within 0.1..3600");
        }
        if (count != null && count < 1) {
            throw new ConfigException("--count " + count + ": below 1");
        }
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        AdminClient client = place.client();
        JsonNode before = client.get("/v1/activity");
        if (place.json()) {
            follow(client, before, new Viewer() {
                @Override
                public void see(JsonNode activity) {
                    out.println(activity);
                    out.flush();
                }

                @Override
                public void miss(ConfigException e) throws ConfigException {
                    throw e;
                }
            });
            return 0;
        }
        try (Screen screen = Screen.of(out)) {
            follow(client, before, new Viewer() {
                private JsonNode last = before;

                @Override
                public void see(JsonNode activity) {
                    screen.show(new TopFrame(last, activity).lines(title(), screen.lines()));
                    last = activity;
                }

                @Override
                public void miss(ConfigException e) {
                    screen.show(List.of(title(), "", e.getMessage(), "", "Trying again."));
                }
            });
        }
        return 0;
    }

    /** Receives the activity of the server. */
    private interface Viewer {
        void see(JsonNode activity);

        /** The server did not answer; it may be restarting. */
        void miss(ConfigException e) throws ConfigException;
    }

    private void follow(AdminClient client, JsonNode first, Viewer viewer)
            throws ConfigException, InterruptedException {
        Duration pause = Duration.ofMillis(Math.round(intervalSeconds * MILLIS));
        if (count == null && !place.json()) {
            // Shows totals until there is a second answer.
            viewer.see(first);
        }
        for (int seen = 0; count == null || seen < count; seen++) {
            Thread.sleep(pause);
            JsonNode activity;
            try {
                activity = client.get("/v1/activity");
            } catch (ConfigException e) {
                viewer.miss(e);
                continue;
            }
            viewer.see(activity);
        }
    }

    private String title() {
        return String.format(
                Locale.ROOT,
                "warpnfs top  %s  every %s s",
                LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS),
                intervalSeconds);
    }
}
