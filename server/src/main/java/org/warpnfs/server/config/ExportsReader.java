package org.warpnfs.server.config;

import com.google.common.base.Splitter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses the text of a file of exports(5).
 *
 * <pre>
 * line     := path [ -word,... ] client ...
 * client   := name | name(word,...) | (word,...)
 * </pre>
 *
 * <p>A {@code #} begins a comment, a backslash at the end of a line continues it on the next, a path with blanks is in
 * double quotes, and {@code \040} is the byte with that octal number. A path is in UTF-8.
 *
 * <p>{@code host (rw)} is a mistake here. In exports(5) it means {@code host} with the defaults and everyone with
 * {@code rw}, which is hardly ever intended. Write {@code *(rw)} for everyone.
 */
final class ExportsReader {
    private static final int OCTAL_DIGITS = 3;

    private final String source;
    private final String text;
    private int at;
    private int line = 1;

    private ExportsReader(String source, String text) {
        this.source = source;
        this.text = text;
    }

    /**
     * Returns the lines of a file that are neither empty nor comments.
     *
     * @param source the name of the file in messages
     */
    static List<ExportsLine> read(String source, String text) throws ConfigException {
        ExportsReader reader = new ExportsReader(source, text);
        List<ExportsLine> lines = new ArrayList<>();
        while (reader.skipToLine()) {
            lines.add(reader.line());
        }
        return List.copyOf(lines);
    }

    private Place place() {
        return new Place(source, line);
    }

    /** Skips to the first character of the next line that is neither empty nor a comment; false at the end. */
    private boolean skipToLine() {
        while (at < text.length()) {
            skipBlanks();
            if (at < text.length() && text.charAt(at) != '\n') {
                return true;
            }
            nextLine();
        }
        return false;
    }

    /** Skips blanks, comments and line ends that follow a backslash. */
    private void skipBlanks() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\\' && isLineEnd(at + 1)) {
                at++;
                skipReturn();
                nextLine();
            } else if (c == '#') {
                while (at < text.length() && text.charAt(at) != '\n') {
                    at++;
                }
            } else if (c == ' ' || c == '\t' || c == '\r') {
                at++;
            } else {
                return;
            }
        }
    }

    private boolean isLineEnd(int index) {
        return index < text.length() && (text.charAt(index) == '\n' || text.startsWith("\r\n", index));
    }

    private void skipReturn() {
        if (text.charAt(at) == '\r') {
            at++;
        }
    }

    private void nextLine() {
        at++;
        line++;
    }

    private boolean atEndOfLine() {
        skipBlanks();
        return at >= text.length() || text.charAt(at) == '\n';
    }

    private ExportsLine line() throws ConfigException {
        Place place = place();
        String path = path();
        if (!path.startsWith("/")) {
            throw place.mistake("'" + path + "' is not an absolute path");
        }
        List<String> defaults = new ArrayList<>();
        List<ExportsLine.Client> clients = new ArrayList<>();
        while (!atEndOfLine()) {
            if (text.charAt(at) == '-') {
                at++;
                defaults.addAll(words(word()));
            } else {
                clients.add(client(defaults));
            }
        }
        return new ExportsLine(place, path, List.copyOf(clients));
    }

    private String path() throws ConfigException {
        boolean quoted = text.charAt(at) == '"';
        if (quoted) {
            at++;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n' && quoted) {
                throw place().mistake("the path has a '\"' at its beginning and none at its end");
            }
            if (quoted ? c == '"' : Character.isWhitespace(c)) {
                break;
            }
            if (c == '\\' && isLineEnd(at + 1) && !quoted) {
                break;
            }
            bytes.writeBytes(character());
        }
        if (quoted) {
            if (at >= text.length()) {
                throw place().mistake("the path has a '\"' at its beginning and none at its end");
            }
            at++;
        }
        return utf8(bytes.toByteArray());
    }

    private String utf8(byte[] path) throws ConfigException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(path))
                    .toString();
        } catch (CharacterCodingException e) {
            throw place().mistake("the path's bytes are not UTF-8, and only such paths can be exported; "
                    + "mount --bind the directory at one, and export that");
        }
    }

    /** Reads one character, or the byte of an escape. */
    private byte[] character() throws ConfigException {
        if (text.charAt(at) == '\\') {
            String digits = text.substring(at + 1, Math.min(text.length(), at + 1 + OCTAL_DIGITS));
            if (digits.length() < OCTAL_DIGITS || !digits.chars().allMatch(c -> c >= '0' && c <= '7')) {
                throw place().mistake(
                                "a backslash in a path needs three octal digits behind it, as in \\040 for a blank");
            }
            int value = Integer.parseInt(digits, 8);
            if (value == 0 || value > 0xff) {
                throw place().mistake("'\\" + digits + "' is not a byte of a path");
            }
            at += 1 + OCTAL_DIGITS;
            return new byte[] {(byte) value};
        }
        int next = text.offsetByCodePoints(at, 1);
        String one = text.substring(at, next);
        at = next;
        return one.getBytes(StandardCharsets.UTF_8);
    }

    private ExportsLine.Client client(List<String> defaults) throws ConfigException {
        int begin = at;
        while (at < text.length() && text.charAt(at) != '(' && !Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        String name = text.substring(begin, at);
        List<String> words = new ArrayList<>(defaults);
        if (at < text.length() && text.charAt(at) == '(') {
            if (name.isEmpty()) {
                throw place().mistake("'(' with no client before it: write the client and its options without a blank"
                        + " between them, or *(...) for everyone");
            }
            words.addAll(parenthesised());
        }
        return new ExportsLine.Client(name, List.copyOf(words));
    }

    private List<String> parenthesised() throws ConfigException {
        int end = at;
        while (end < text.length() && text.charAt(end) != ')' && text.charAt(end) != '\n') {
            end++;
        }
        if (end >= text.length() || text.charAt(end) != ')') {
            throw place().mistake("'(' without a ')' in the same line");
        }
        String inside = text.substring(at + 1, end);
        at = end + 1;
        if (at < text.length() && !Character.isWhitespace(text.charAt(at)) && text.charAt(at) != '#') {
            throw place().mistake("after ')' a blank is needed, not '" + text.charAt(at) + "'");
        }
        return words(inside);
    }

    private String word() {
        int begin = at;
        while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.substring(begin, at);
    }

    /** Splits the options of a client; empty words, as in {@code host()}, are left out. */
    private static List<String> words(String text) {
        return Splitter.on(',').trimResults().omitEmptyStrings().splitToList(text);
    }
}
