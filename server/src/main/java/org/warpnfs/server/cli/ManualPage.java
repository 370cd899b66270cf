package org.warpnfs.server.cli;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The manual page of one command, in the macros of man(7). It has the contents of {@code --help}, and a section that
 * all commands share.
 */
final class ManualPage {
    private static final String SHARED = """
            .SH EXIT STATUS
            .TP
            0
            All went well.
            .TP
            1
            The command was understood and failed; one line on standard error says why.
            .TP
            2
            The words made no sense; one line on standard error names the first that did not.
            .SH ENVIRONMENT
            .TP
            .B WARPNFS_JAVA_OPTS
            Options of the Java virtual machine.
            .TP
            .B WARPNFS_LOG_LEVEL
            TRACE, DEBUG, INFO (the default), WARN or ERROR. The log is on standard error.
            .TP
            .B WARPNFS_CONFIG
            The configuration file of serve and check, where no --config names one. Each setting has a variable of its own too, such as
            .BR WARPNFS_RDMA_PORT .
            """;

    private final CommandLine command;

    ManualPage(CommandLine command) {
        this.command = command;
    }

    /** Returns the name of the page and its file: the command's words joined by hyphens. */
    String name() {
        return command.getCommandSpec().qualifiedName("-");
    }

    /** Returns the page. */
    String text() {
        CommandSpec spec = command.getCommandSpec();
        String[] description = spec.usageMessage().description();
        StringJoiner page = new StringJoiner("\n", "", "\n");
        page.add(".TH " + name().toUpperCase(Locale.ROOT).replace("-", "\\-") + " 1 \"\" \""
                + plain(String.join(" ", command.getCommandSpec().version())) + "\" \"warpnfs\"");
        page.add(".SH NAME");
        page.add(escaped(name()) + " \\- " + summary(description));
        page.add(".SH SYNOPSIS");
        page.add(".B " + escaped(spec.qualifiedName()));
        page.add(escaped(synopsis(spec)));
        page.add(".SH DESCRIPTION");
        page.add(lines(description));
        positional(page, spec);
        options(page, spec);
        subcommands(page);
        page.add(SHARED.stripTrailing());
        seeAlso(page);
        return page.toString();
    }

    private static String summary(String[] description) {
        String first = description.length == 0 ? "" : description[0];
        int end = first.indexOf(". ");
        String sentence = end < 0 ? first : first.substring(0, end);
        return escaped(sentence.replaceAll("[.:,]$", ""));
    }

    private static String synopsis(CommandSpec spec) {
        StringJoiner words = new StringJoiner(" ");
        if (!spec.options().isEmpty()) {
            words.add("[OPTION...]");
        }
        spec.positionalParameters()
                .forEach(parameter ->
                        words.add(parameter.required() ? parameter.paramLabel() : "[" + parameter.paramLabel() + "]"));
        if (!spec.subcommands().isEmpty()) {
            words.add("COMMAND ...");
        }
        return words.toString();
    }

    private static void positional(StringJoiner page, CommandSpec spec) {
        if (spec.positionalParameters().isEmpty()) {
            return;
        }
        page.add(".SH PARAMETERS");
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            page.add(".TP").add(".I " + escaped(parameter.paramLabel())).add(lines(parameter.description()));
        }
    }

    private static void options(StringJoiner page, CommandSpec spec) {
        page.add(".SH OPTIONS");
        for (OptionSpec option : spec.options()) {
            if (option.hidden()) {
                continue;
            }
            String names = Arrays.stream(option.names())
                    .map(name -> "\\fB" + escaped(name) + "\\fR")
                    .collect(Collectors.joining(", "));
            page.add(".TP").add(names + value(option)).add(lines(option.description()));
        }
    }

    /** Returns the parameter of an option, in brackets if it is optional. */
    private static String value(OptionSpec option) {
        if (option.arity().max() == 0) {
            return "";
        }
        String label = "\\fI" + escaped(option.paramLabel()) + "\\fR";
        return option.arity().min() == 0 ? "[=" + label + "]" : " " + label;
    }

    private void subcommands(StringJoiner page) {
        Collection<CommandLine> visible = visibleSubcommands();
        if (visible.isEmpty()) {
            return;
        }
        page.add(".SH COMMANDS");
        for (CommandLine subcommand : visible) {
            page.add(".TP")
                    .add(".B " + escaped(subcommand.getCommandName()))
                    .add(lines(subcommand.getCommandSpec().usageMessage().description()));
        }
    }

    private void seeAlso(StringJoiner page) {
        Set<String> others = new LinkedHashSet<>();
        CommandLine parent = command.getParent();
        if (parent != null) {
            others.add(new ManualPage(parent).name());
        }
        visibleSubcommands().forEach(subcommand -> others.add(new ManualPage(subcommand).name()));
        page.add(".SH SEE ALSO");
        List<String> references =
                others.stream().map(name -> "\\fB" + escaped(name) + "\\fR(1)").collect(Collectors.toList());
        references.add("\\fBexports\\fR(5)");
        references.add("\\fBnfs\\fR(5)");
        page.add(String.join(", ", references));
    }

    private Collection<CommandLine> visibleSubcommands() {
        return command.getSubcommands().values().stream()
                .filter(subcommand ->
                        !subcommand.getCommandSpec().usageMessage().hidden())
                .toList();
    }

    private static String lines(String[] text) {
        return Arrays.stream(text).map(ManualPage::escaped).collect(Collectors.joining("\n"));
    }

    /**
     * Escapes what roff would interpret: backslashes, hyphens that are minus signs, dots and quotes at the beginning of
     * a line.
     */
    private static String escaped(String text) {
        String words = plain(text).replace("\\", "\\e").replace("-", "\\-");
        return words.startsWith(".") || words.startsWith("'") ? "\\&" + words : words;
    }

    /** Removes the markup that picocli would replace. */
    private static String plain(String text) {
        return text.replace("%%", "%").replace("%n", " ").replace("\"", "");
    }
}
