package org.warpnfs.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Splits command lines like a shell, as far as the pages need it: quotes, comments, pipes and lists. */
final class ShellWords {
    /** An operator, a comment, or a word of which parts may be quoted. */
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(?:(#.*)|(&&|\\|\\||[|;])|((?:'[^']*'|\"[^\"]*\"|[^\\s|;'\"&])+|&))");

    private ShellWords() {}

    /** Returns the words of each command of a line. */
    static List<List<String>> commands(String line) {
        List<List<String>> commands = new ArrayList<>();
        List<String> words = new ArrayList<>();
        Matcher token = TOKEN.matcher(line);
        while (token.lookingAt() && token.group(1) == null) {
            if (token.group(2) != null) {
                commands.add(words);
                words = new ArrayList<>();
            } else {
                words.add(token.group(3).replaceAll("['\"]", ""));
            }
            token.region(token.end(), line.length());
        }
        commands.add(words);
        return commands.stream().filter(command -> !command.isEmpty()).toList();
    }
}
