package org.warpnfs.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

/**
 * The commands that print a table of a running server. They read it page by page, up to the requested number of rows.
 */
final class ListCommands {
    private static final int PAGE = 1000;

    private ListCommands() {}

    /** The common part of these commands. */
    @Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false)
    abstract static class Listing implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Mixin
        private AdminPlace place = new AdminPlace();

        @Option(names = "--limit", paramLabel = "ROWS", description = "The most rows to show. Default: 1000.")
        private int limit = PAGE;

        abstract String path();

        abstract Table table();

        @Nullable
        String client() {
            return null;
        }

        @Override
        public Integer call() throws ConfigException {
            PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
            if (limit < 1) {
                throw new ConfigException("--limit " + limit + ": below 1");
            }
            List<JsonNode> rows = new ArrayList<>();
            boolean more = read(place.client(), rows);
            if (place.json()) {
                out.println(rows);
            } else {
                table().lines(rows).forEach(out::println);
                if (more) {
                    out.println("... there are more; --limit shows more than " + limit);
                }
            }
            out.flush();
            return 0;
        }

        /** Reads the rows; returns whether there are more than were requested. */
        private boolean read(AdminClient client, List<JsonNode> rows) throws ConfigException {
            String after = null;
            String of = client();
            do {
                StringBuilder uri =
                        new StringBuilder(path()).append("?limit=").append(Math.min(PAGE, limit - rows.size()));
                append(uri, "after", after);
                append(uri, "client", of);
                JsonNode page = client.get(uri.toString());
                page.path("rows").forEach(rows::add);
                after = page.path("next").textValue();
            } while (after != null && rows.size() < limit);
            return after != null;
        }

        private static void append(StringBuilder uri, String name, @Nullable String value) {
            if (value != null) {
                uri.append('&').append(name).append('=').append(URLEncoder.encode(value, StandardCharsets.UTF_8));
            }
        }
    }

    /** A table that can be limited to one client. */
    abstract static class ListingOfClient extends Listing {
        @Option(names = "--client", paramLabel = "CLIENT", description = "Only rows of the client with this id.")
        private @Nullable String client;

        @Override
        @Nullable
        String client() {
            return client;
        }
    }

    /** {@code warpnfs clients}. */
    @Command(name = "clients", description = "Shows the NFSv4 clients of a running server.")
    static final class Clients extends Listing {
        @Override
        String path() {
            return "/v1/clients";
        }

        @Override
        Table table() {
            return new Table()
                    .text("CLIENT", "id")
                    .text("ADDRESS", "address")
                    .text("VERSION", "version")
                    .column("STATE", Clients::state)
                    .number("SILENT", "silentSeconds")
                    .number("SESSIONS", "sessions")
                    .number("OPENS", "opens")
                    .number("LOCKS", "locks")
                    .number("DELEGATIONS", "delegations")
                    .number("REQUESTS", "requests")
                    .text("NAME", "owner");
        }

        private static String state(JsonNode row) {
            return !row.path("confirmed").asBoolean()
                    ? "new"
                    : row.path("expired").asBoolean() ? "expired" : "active";
        }
    }

    /** {@code warpnfs sessions}. */
    @Command(name = "sessions", description = "Shows the NFSv4.1 sessions of a running server.")
    static final class Sessions extends ListingOfClient {
        @Override
        String path() {
            return "/v1/sessions";
        }

        @Override
        Table table() {
            return new Table()
                    .text("SESSION", "id")
                    .text("CLIENT", "client")
                    .number("SLOTS", "slots")
                    .number("TARGET", "targetSlots")
                    .column("CONNECTIONS", row -> joined(row.path("connections")))
                    .column("CALLBACKS", row -> joined(row.path("callbackConnections")));
        }
    }

    /** {@code warpnfs opens}. */
    @Command(name = "opens", description = "Shows the files that NFSv4 clients have open.")
    static final class Opens extends ListingOfClient {
        @Override
        String path() {
            return "/v1/opens";
        }

        @Override
        Table table() {
            return new Table()
                    .text("CLIENT", "client")
                    .text("ACCESS", "access")
                    .text("DENY", "deny")
                    .number("LOCKERS", "lockOwners")
                    .text("OWNER", "owner")
                    .column("FILE", ListCommands::file);
        }
    }

    /** {@code warpnfs locks}. */
    @Command(name = "locks", description = "Shows the byte ranges that NFSv4 clients have locked.")
    static final class Locks extends ListingOfClient {
        @Override
        String path() {
            return "/v1/locks";
        }

        @Override
        Table table() {
            return lockTable();
        }
    }

    /** {@code warpnfs delegations}. */
    @Command(name = "delegations", description = "Shows the delegations of NFSv4 clients.")
    static final class Delegations extends ListingOfClient {
        @Override
        String path() {
            return "/v1/delegations";
        }

        @Override
        Table table() {
            return new Table()
                    .text("DELEGATION", "id")
                    .text("CLIENT", "client")
                    .text("KIND", "kind")
                    .text("STATE", "phase")
                    .column("FILE", ListCommands::file);
        }
    }

    /** {@code warpnfs layouts}. */
    @Command(name = "layouts", description = "Shows the layouts (pNFS) of NFSv4 clients.")
    static final class Layouts extends ListingOfClient {
        @Override
        String path() {
            return "/v1/layouts";
        }

        @Override
        Table table() {
            return new Table()
                    .text("LAYOUT", "id")
                    .text("CLIENT", "client")
                    .text("IOMODE", "iomode")
                    .text("STATE", "phase")
                    .column("FILE", ListCommands::file);
        }
    }

    /** {@code warpnfs connections}. */
    @Command(name = "connections", description = "Shows the connections of a running server.")
    static final class Connections extends Listing {
        @Override
        String path() {
            return "/v1/connections";
        }

        @Override
        Table table() {
            return new Table()
                    .text("CONNECTION", "id")
                    .text("TLS", "protection")
                    .text("SINCE", "since")
                    .number("CALLS", "calls")
                    .number("IDLE", "idleSeconds");
        }
    }

    static Table lockTable() {
        return new Table()
                .text("LOCK", "id")
                .text("CLIENT", "client")
                .text("OWNER", "owner")
                .column("RANGES", ListCommands::ranges)
                .column("FILE", ListCommands::file);
    }

    private static String ranges(JsonNode row) {
        if (row.path("revoked").asBoolean()) {
            return "revoked";
        }
        List<String> shown = new ArrayList<>();
        for (JsonNode range : row.path("ranges")) {
            String last = range.path("last").asText();
            shown.add(range.path("kind").asText() + " " + range.path("first").asText() + "-"
                    + (last.equals("18446744073709551615") ? "end" : last));
        }
        int more = row.path("rangeCount").asInt() - shown.size();
        return shown.isEmpty() ? "none" : String.join(", ", shown) + (more > 0 ? " and " + more + " more" : "");
    }

    private static String file(JsonNode row) {
        return row.path("path").isTextual() ? row.path("path").asText() : Table.shown(row.path("file"));
    }

    private static String joined(JsonNode texts) {
        List<String> all = new ArrayList<>();
        texts.forEach(text -> all.add(text.asText()));
        return all.isEmpty() ? "-" : String.join(", ", all);
    }
}
