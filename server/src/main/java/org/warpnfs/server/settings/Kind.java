package org.warpnfs.server.settings;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.warpnfs.server.config.ByteSize;
import org.warpnfs.server.config.ConfigException;

/**
 * The type of a setting's value: its syntax and its bounds.
 *
 * @param <T> the type of the value
 */
public sealed interface Kind<T> {
    /**
     * Reads a value.
     *
     * @param what the setting and its place, for the message
     * @param words one word; for {@link Words} any number
     * @throws ConfigException if the words are not of this kind, or the value is out of bounds: one line that begins
     *     with {@code what} and the value
     */
    T read(String what, List<String> words) throws ConfigException;

    /** Returns the value as it is written in the file. */
    String written(T value);

    /** Returns a description of the allowed values. */
    String allowed();

    private static String only(String what, List<String> words) throws ConfigException {
        if (words.size() != 1) {
            throw new ConfigException(what + ": must be one value, not " + words.size());
        }
        return words.getFirst();
    }

    /** A whole number without a unit. */
    record Whole(long least, long most) implements Kind<Long> {
        @Override
        public Long read(String what, List<String> words) throws ConfigException {
            String text = only(what, words);
            try {
                long value = Long.parseLong(text);
                if (value >= least && value <= most) {
                    return value;
                }
            } catch (NumberFormatException e) {
                throw new ConfigException(what + " " + text + ": not a whole number", e);
            }
            throw new ConfigException(what + " " + text + ": not within " + least + ".." + most);
        }

        @Override
        public String written(Long value) {
            return Long.toString(value);
        }

        @Override
        public String allowed() {
            return least + " to " + most;
        }
    }

    /** A port; 0 means any free port. */
    record Port() implements Kind<Long> {
        /** The value that means that nothing listens. */
        public static final long OFF = -1;

        static final int MOST = 65_535;
        private static final Whole NUMBER = new Whole(0, MOST);

        @Override
        public Long read(String what, List<String> words) throws ConfigException {
            String text = only(what, words);
            return text.equalsIgnoreCase("off") || text.equalsIgnoreCase("false") ? OFF : NUMBER.read(what, words);
        }

        @Override
        public String written(Long value) {
            return value == OFF ? "off" : Long.toString(value);
        }

        @Override
        public String allowed() {
            return NUMBER.allowed() + ", or off";
        }
    }

    /**
     * Bytes, or bytes per second: a number with an optional k, m, g or t, in powers of 1024.
     *
     * @param step the value must be a multiple of this
     */
    record Bytes(long least, long most, long step) implements Kind<Long> {
        @Override
        public Long read(String what, List<String> words) throws ConfigException {
            String text = only(what, words);
            long value = ByteSize.parse(what, text);
            if (value < least || value > most) {
                throw new ConfigException(
                        what + " " + text + ": not within " + written(least) + ".." + written(most) + " bytes");
            }
            if (value % step != 0) {
                throw new ConfigException(what + " " + text + ": not a multiple of " + written(step) + " bytes");
            }
            return value;
        }

        @Override
        public String written(Long value) {
            return ByteSize.written(value);
        }

        @Override
        public String allowed() {
            return written(least) + " to " + written(most) + " bytes" + (step == 1 ? "" : ", by " + written(step));
        }
    }

    /** A time: a number with ms, s, m, h or d; a number without a unit is seconds. */
    record Time(Duration least, Duration most) implements Kind<Duration> {
        private static final long MILLIS = 1000;

        @Override
        public Duration read(String what, List<String> words) throws ConfigException {
            String text = only(what, words);
            Duration value = parsed(what, text);
            if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                throw new ConfigException(what + " " + text + ": not within " + written(least) + ".." + written(most));
            }
            return value;
        }

        private static Duration parsed(String what, String text) throws ConfigException {
            int digits = 0;
            while (digits < text.length() && Character.digit(text.charAt(digits), 10) >= 0) {
                digits++;
            }
            try {
                long number = Long.parseLong(text, 0, digits, 10);
                return switch (text.substring(digits).toLowerCase(Locale.ROOT)) {
                    case "ms" -> Duration.ofMillis(number);
                    case "s", "" -> Duration.ofSeconds(number);
                    case "m" -> Duration.ofMinutes(number);
                    case "h" -> Duration.ofHours(number);
                    case "d" -> Duration.ofDays(number);
                    default ->
                        throw new ConfigException(what + " " + text + ": not a time such as 90, 90s, 500ms or 2m");
                };
            } catch (NumberFormatException | ArithmeticException e) {
                throw new ConfigException(what + " " + text + ": not a time such as 90, 90s, 500ms or 2m", e);
            }
        }

        @Override
        public String written(Duration value) {
            return value.toMillis() % MILLIS == 0 ? value.toSeconds() + "s" : value.toMillis() + "ms";
        }

        @Override
        public String allowed() {
            return written(least) + " to " + written(most);
        }
    }

    /**
     * A choice of words, the names of an enum in lower case. If {@code on} and {@code off} are among them, true and
     * false mean the same: programs that read YAML 1.1 and write it again, such as Helm, replace one by the other.
     */
    record Choice<E extends Enum<E>>(Class<E> type) implements Kind<E> {
        @Override
        public E read(String what, List<String> words) throws ConfigException {
            String text = only(what, words);
            for (E value : type.getEnumConstants()) {
                String word = written(value);
                if (word.equalsIgnoreCase(text) || truthOf(word).equalsIgnoreCase(text)) {
                    return value;
                }
            }
            throw new ConfigException(what + " " + text + ": not one of " + allowed());
        }

        @Override
        public String written(E value) {
            return value.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String allowed() {
            return String.join(", ", all());
        }

        /** Returns the boolean that YAML 1.1 reads from the word, else the word. */
        static String truthOf(String word) {
            return switch (word) {
                case "on" -> "true";
                case "off" -> "false";
                default -> word;
            };
        }

        /** Returns all words. */
        List<String> all() {
            return List.of(type.getEnumConstants()).stream().map(this::written).toList();
        }
    }

    /** A boolean. */
    record Switch() implements Kind<Boolean> {
        @Override
        public Boolean read(String what, List<String> words) throws ConfigException {
            String text = only(what, words);
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "true", "yes", "on" -> true;
                case "false", "no", "off" -> false;
                default -> throw new ConfigException(what + " " + text + ": neither true nor false");
            };
        }

        @Override
        public String written(Boolean value) {
            return value.toString();
        }

        @Override
        public String allowed() {
            return "true, false";
        }
    }

    /**
     * Text in a format that its user checks.
     *
     * @param form a description of the format
     * @param orOff whether {@code off} is allowed; then false means the same, as in {@link Choice}
     */
    record Text(String form, boolean orOff) implements Kind<String> {
        @Override
        public String read(String what, List<String> words) throws ConfigException {
            String text = only(what, words);
            if (text.isBlank()) {
                throw new ConfigException(what + ": is empty");
            }
            return orOff && (text.equalsIgnoreCase("false") || text.equalsIgnoreCase("off")) ? "off" : text;
        }

        @Override
        public String written(String value) {
            return value;
        }

        @Override
        public String allowed() {
            return form;
        }
    }

    /**
     * A list of texts.
     *
     * @param form a description of each text's format
     * @param orNone whether an empty list has a meaning of its own
     */
    record Words(String form, boolean orNone) implements Kind<List<String>> {
        @Override
        public List<String> read(String what, List<String> words) throws ConfigException {
            if (words.isEmpty() && !orNone) {
                throw new ConfigException(what + ": the list is empty");
            }
            if (words.stream().anyMatch(String::isBlank)) {
                throw new ConfigException(what + ": an element of the list is empty");
            }
            return List.copyOf(words);
        }

        @Override
        public String written(List<String> value) {
            return String.join(" ", value);
        }

        @Override
        public String allowed() {
            return "list of " + form;
        }
    }
}
