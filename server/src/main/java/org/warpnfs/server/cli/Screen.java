package org.warpnfs.server.cli;

import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Shows text that is refreshed: in place on a terminal, otherwise one block after the other.
 *
 * <p>On a terminal it uses the alternate screen, like a pager. Each frame is one write that clears the old text line by
 * line, so that nothing flickers. Closing restores the terminal, also when the process is told to end.
 */
final class Screen implements AutoCloseable {
    /** ECMA-48: alternate screen, no cursor, no wrapping. */
    static final String BEGIN = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J";

    static final String END = "\u001b[?7h\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final int USUAL_LINES = 24;
    private static final int ENDLESS = 1000;
    private static final int STTY_SECONDS = 2;

    private final PrintWriter out;
    private final boolean inPlace;
    private final Thread restore = new Thread(this::restore, "warpnfs-screen");
    private boolean first = true;
    private boolean restored;

    Screen(PrintWriter out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
        if (inPlace) {
            Runtime.getRuntime().addShutdownHook(restore);
            out.print(BEGIN);
            out.flush();
        }
    }

    /** Returns a screen on the terminal of this process, if there is one. */
    static Screen of(PrintWriter out) {
        return new Screen(
                out,
                Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false));
    }

    /** Returns the number of visible lines. */
    int lines() {
        return inPlace ? terminalLines() : ENDLESS;
    }

    private static int terminalLines() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(Path.of("/dev/tty").toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            stty.waitFor(STTY_SECONDS, TimeUnit.SECONDS);
            int lines = Integer.parseInt(size.substring(0, Math.max(0, size.indexOf(' '))));
            return lines > 0 ? lines : USUAL_LINES;
        } catch (IOException | NumberFormatException e) {
            return USUAL_LINES;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return USUAL_LINES;
        }
    }

    /** Replaces the shown text. */
    synchronized void show(List<String> lines) {
        if (restored) {
            return;
        }
        StringBuilder frame = new StringBuilder(inPlace ? HOME : first ? "" : "\n");
        first = false;
        for (int i = 0; i < lines.size(); i++) {
            frame.append(i == 0 ? "" : "\n").append(lines.get(i)).append(inPlace ? CLEAR_LINE : "");
        }
        // A newline after the last line of a terminal would scroll it.
        out.print(frame.append(inPlace ? CLEAR_BELOW : "\n"));
        out.flush();
    }

    private synchronized void restore() {
        if (inPlace && !restored) {
            restored = true;
            out.print(END);
            out.flush();
        }
    }

    @Override
    public void close() {
        restore();
        if (inPlace) {
            try {
                Runtime.getRuntime().removeShutdownHook(restore);
            } catch (IllegalStateException e) {
                // The process is ending, and the shutdown hook has restored the terminal.
            }
        }
    }
}
