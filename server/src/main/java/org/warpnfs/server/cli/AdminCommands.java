package org.warpnfs.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.admin.AdminClient;
import org.warpnfs.server.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands for a running server that do not print tables. */
final class AdminCommands {
    private static final double MEBI = 1 << 20;

    private AdminCommands() {}

    /** {@code warpnfs status}. */
    @Command(name = "status", description = "Shows the state of a running server.")
    static final class Status extends AdminCommand {
        @Override
        JsonNode ask(AdminClient client) throws ConfigException {
            return client.get("/v1/status");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Duration up = Duration.ofSeconds(answer.path("uptimeSeconds").asLong());
            out.printf(
                    "warpnfs %s  %s%s  up %d d %d h %d min  rdma %s  tcp %s%n",
                    answer.path("version").asText(),
                    Table.clean(answer.path("state").asText()),
                    answer.path("drained").asBoolean() ? ", drained" : "",
                    up.toDays(),
                    up.toHoursPart(),
                    up.toMinutesPart(),
                    answer.path("rdma").asText("off"),
                    answer.path("tcp").asText("off"));
            answer.path("counts")
                    .properties()
                    .forEach(count -> out.printf("%-18s %8s%n", count.getKey(), count.getValue()));
            for (JsonNode budget : answer.path("pressure")) {
                out.printf("%-18s %s%n", budget.path("name").asText(), used(budget));
            }
            answer.path("waiting")
                    .properties()
                    .forEach(queue -> out.printf("waiting, %-14s %3s%n", queue.getKey(), queue.getValue()));
        }
    }

    /** Returns the use of a budget as text: {@code 12.5 of 256.0 MiB}. */
    static String used(JsonNode budget) {
        double used = budget.path("used").asDouble();
        double limit = budget.path("limit").asDouble();
        String percent = limit > 0 ? String.format(Locale.ROOT, "  %.0f %%", 100 * used / limit) : "";
        return budget.path("bytes").asBoolean()
                ? String.format(Locale.ROOT, "%8.1f of %.1f MiB%s", used / MEBI, limit / MEBI, percent)
                : String.format(Locale.ROOT, "%8.0f of %.0f%s", used, limit, percent);
    }

    /** {@code warpnfs exports}. */
    @Command(name = "exports", description = "Shows the exports of a running server, and who may mount them.")
    static final class Exports extends AdminCommand {
        @Override
        JsonNode ask(AdminClient client) throws ConfigException {
            return client.get("/v1/exports");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            new Table()
                    .text("EXPORT", "path")
                    .text("SOURCE", "source")
                    .whole("CLIENTS", "clients")
                    .lines(answer.path("rows"))
                    .forEach(out::println);
        }
    }

    /** {@code warpnfs loglevel}. */
    @Command(
            name = "loglevel",
            description = "Shows the log levels of a running server; with LOGGER and LEVEL changes one until the "
                    + "server ends.")
    static final class LogLevel extends AdminCommand {
        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "LOGGER",
                description = "A package or class, such as org.warpnfs.nfs, or root.")
        private @Nullable String logger;

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "LEVEL",
                description = "off, error, warn, info, debug, trace, or inherited.")
        private @Nullable String level;

        @Override
        JsonNode ask(AdminClient client) throws ConfigException {
            if (logger != null && level != null) {
                return client.put("/v1/loglevels", Map.of("logger", logger, "level", level));
            }
            return client.get("/v1/loglevels"
                    + (logger == null ? "" : "?logger=" + URLEncoder.encode(logger, StandardCharsets.UTF_8)));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            if (answer.has("rows")) {
                answer.path("rows").forEach(row -> print(row, out));
            } else {
                out.println(answer.path("logger").asText() + " "
                        + answer.path("level").asText());
            }
        }
    }

    /** {@code warpnfs reload}. */
    @Command(
            name = "reload",
            description = "Makes a running server read its exports again, as SIGHUP does, and prints what has changed; "
                    + "exit status 1 if they are refused.")
    static final class Reload extends AdminCommand {
        @Override
        JsonNode ask(AdminClient client) throws ConfigException {
            return client.post("/v1/reload", Map.of());
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            JsonNode changes = answer.path("changes");
            changes.forEach(change -> out.println(Table.printable(change.asText())));
            if (changes.isEmpty()) {
                out.println("nothing has changed");
            }
        }
    }

    /** {@code warpnfs evict}. */
    @Command(
            name = "evict",
            description = {
                "Removes all state of an NFSv4 client (opens, locks, delegations, sessions) and closes its "
                        + "connections.",
                "The client may connect again; to keep a host out, change the exports."
            })
    static final class Evict extends AdminCommand {
        @Parameters(paramLabel = "CLIENT", description = "The client's id, as shown by warpnfs clients.")
        private String client = "";

        @Override
        JsonNode ask(AdminClient admin) throws ConfigException {
            return admin.post("/v1/evict", Map.of("client", client));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.printf(
                    "client %s (%s, %s) is evicted: %s sessions, %s opens, %s locks, %s delegations, %s "
                            + "connections closed%n",
                    answer.path("client").asText(),
                    Table.clean(answer.path("owner").asText()),
                    answer.path("address").asText(),
                    answer.path("sessions"),
                    answer.path("opens"),
                    answer.path("locks"),
                    answer.path("delegations"),
                    answer.path("connections"));
            if (!isJournaled(answer)) {
                out.println("the recovery journal could not be written, so the client may reclaim its state "
                        + "after a restart; " + "the log has details");
            }
        }

        @Override
        int status(JsonNode answer) {
            return isJournaled(answer) ? 0 : Main.FAILURE;
        }

        private static boolean isJournaled(JsonNode answer) {
            return answer.path("journaled").asBoolean(true);
        }
    }

    /** {@code warpnfs unlock}. */
    @Command(
            name = "unlock",
            description = {
                "Revokes byte-range locks of NFSv4 clients, and lists the revoked locks.",
                "A lock is revoked if it matches all given options.",
                "An application that held such a lock gets I/O errors on its file descriptor, or continues "
                        + "without the lock."
            })
    static final class Unlock extends AdminCommand {
        @Option(names = "--file", paramLabel = "FILE", description = "Locks of this file, as shown by warpnfs locks.")
        private @Nullable String file;

        @Option(names = "--client", paramLabel = "CLIENT", description = "Locks of the client with this id.")
        private @Nullable String client;

        @Option(names = "--owner", paramLabel = "OWNER", description = "Locks of this lock-owner.")
        private @Nullable String owner;

        @Option(names = "--lock", paramLabel = "LOCK", description = "The lock with this id.")
        private @Nullable String lock;

        @Override
        JsonNode ask(AdminClient admin) throws ConfigException {
            Map<String, String> body = new LinkedHashMap<>();
            put(body, "file", file);
            put(body, "client", client);
            put(body, "owner", owner);
            put(body, "lock", lock);
            return admin.post("/v1/unlock", body);
        }

        private static void put(Map<String, String> body, String name, @Nullable String value) {
            if (value != null) {
                body.put(name, value);
            }
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            if (answer.path("count").asInt() > 0) {
                ListCommands.lockTable().lines(answer.path("rows")).forEach(out::println);
            }
            out.println(answer.path("count").asInt() + " taken away");
        }
    }

    /** {@code warpnfs grace}. */
    @Command(
            name = "grace",
            description = "Controls the NFSv4 grace period of a running server.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            subcommands = EndGrace.class)
    static final class Grace {}

    /** {@code warpnfs grace end}. */
    @Command(
            name = "end",
            description = {
                "Ends the grace period now.",
                "Clients that held state before the restart and have not come back lose it: others may then take "
                        + "their files and locks."
            })
    static final class EndGrace extends AdminCommand {
        @Override
        JsonNode ask(AdminClient client) throws ConfigException {
            return client.post("/v1/grace/end", Map.of());
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            if (!answer.path("wasRunning").asBoolean()) {
                out.println("no grace period was running");
            } else if (answer.path("grace").asBoolean()) {
                out.println("the grace period continues until the recovery journal can be written; the log has "
                        + "details");
            } else {
                out.println("the grace period is over; "
                        + answer.path("missingClients").asInt() + " clients had not come back");
            }
        }

        @Override
        int status(JsonNode answer) {
            return answer.path("grace").asBoolean() ? Main.FAILURE : 0;
        }
    }

    /** {@code warpnfs drain}. */
    @Command(
            name = "drain",
            description = {
                "Makes a running server accept no new connections, answer the calls under way, and close "
                        + "its connections.",
                "The process runs on, not ready, until it is stopped. Only a restart ends the draining."
            })
    static final class Drain extends AdminCommand {
        private static final Duration PAUSE = Duration.ofMillis(200);

        @Option(
                names = "--wait",
                paramLabel = "SECONDS",
                description =
                        "Wait at most this long until no connection is left; exit status 1 if some are left then.")
        private @Nullable Integer waitSeconds;

        @Option(
                names = "--after",
                paramLabel = "SECONDS",
                description = "Wait this long before draining, for instance until a pod is no longer an endpoint. "
                        + "Default: 0.")
        private int afterSeconds;

        @Override
        JsonNode ask(AdminClient client) throws ConfigException {
            requireTime("--after", afterSeconds);
            requireTime("--wait", waitSeconds == null ? 0 : waitSeconds);
            try {
                Thread.sleep(Duration.ofSeconds(afterSeconds));
                JsonNode answer = client.post("/v1/drain", Map.of());
                long begin = System.nanoTime();
                while (waitSeconds != null
                        && !answer.path("drained").asBoolean()
                        && System.nanoTime() - begin
                                < Duration.ofSeconds(waitSeconds).toNanos()) {
                    Thread.sleep(PAUSE);
                    answer = client.post("/v1/drain", Map.of());
                }
                return answer;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ConfigException("interrupted", e);
            }
        }

        private static void requireTime(String option, int seconds) throws ConfigException {
            if (seconds < 0) {
                throw new ConfigException(option + " " + seconds + ": below 0");
            }
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.println(answer.path("drained").asBoolean() ? "drained" : "draining");
        }

        @Override
        int status(JsonNode answer) {
            return waitSeconds != null && !answer.path("drained").asBoolean() ? Main.FAILURE : 0;
        }
    }
}
