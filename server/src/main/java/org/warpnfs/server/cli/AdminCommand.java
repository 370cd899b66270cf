package org.warpnfs.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.admin.AdminClient;
import org.warpnfs.server.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that sends one request to a running server and prints the answer. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false)
abstract class AdminCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private AdminPlace place = new AdminPlace();

    /** Sends the request. */
    abstract JsonNode ask(AdminClient client) throws ConfigException;

    /** Prints the answer as text. */
    abstract void print(JsonNode answer, PrintWriter out);

    /** Returns the exit status, which may depend on the answer. */
    int status(JsonNode answer) {
        return 0;
    }

    @Override
    public final Integer call() throws ConfigException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        JsonNode answer = ask(place.client());
        if (place.json()) {
            out.println(answer);
        } else {
            print(answer, out);
        }
        out.flush();
        return status(answer);
    }
}
