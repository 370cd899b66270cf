package org.warpnfs.server.rpcbind;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * A shell with its own network, processes and {@code /run}. Port 111 is free there, and no other process uses rpcbind's
 * socket. Needs root.
 *
 * <p>All processes started in it end with it.
 */
final class NetworkNamespace implements AutoCloseable {
    private static final String END = "__end__";

    private final Process shell;
    private final Writer commands;
    private final BufferedReader output;

    /** @param run the directory that is {@code /run} in the namespace */
    NetworkNamespace(Path run) throws IOException {
        Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "only root makes network namespaces");
        shell = new ProcessBuilder("unshare", "-n", "-m", "-p", "-f", "--kill-child", "--mount-proc", "bash")
                .redirectErrorStream(true)
                .start();
        commands = shell.outputWriter(StandardCharsets.UTF_8);
        output = new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8));
        run("export PATH=$PATH:/usr/sbin:/sbin");
        run("ip link set lo up");
        run("mount --bind " + run + " /run");
    }

    /** Runs a command and returns what it prints to both outputs. The test fails if the command fails. */
    String run(String command) throws IOException {
        Result result = attempt(command);
        if (result.status != 0) {
            throw new AssertionError(command + ": status " + result.status + "\n" + result.output);
        }
        return result.output;
    }

    record Result(int status, String output) {}

    /** Runs a command that may fail. */
    Result attempt(String command) throws IOException {
        commands.write("{ " + command + "\n} 2>&1 </dev/null; echo " + END + "$?\n");
        commands.flush();
        StringBuilder text = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            int end = line.indexOf(END);
            if (end >= 0) {
                text.append(line, 0, end);
                return new Result(Integer.parseInt(line.substring(end + END.length())), text.toString());
            }
            text.append(line).append('\n');
        }
        throw new AssertionError("no namespace of its own, which takes root and unshare:\n" + text);
    }

    /** Repeats a command until it succeeds. */
    void await(String command) throws Exception {
        while (attempt(command).status != 0) {
            Thread.sleep(10);
        }
    }

    @Override
    public void close() {
        shell.destroyForcibly().onExit().join();
    }
}
