package org.warpnfs.server.config;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.List;
import org.warpnfs.nfs.export.FsLocations;
import org.warpnfs.nfs.export.PseudoPath;

/**
 * The value of {@code refer=} and {@code replicas=} of exports(5).
 *
 * <pre>
 * list  := place [ : place ] ...
 * place := path&#64;host [ + host ] ...
 * host  := name | IPv4 address | [IPv6 address]
 * </pre>
 */
final class LocationList {
    private LocationList() {}

    static List<FsLocations.Place> read(Place place, String word, String value) throws ConfigException {
        List<FsLocations.Place> places = new ArrayList<>();
        for (String one : outsideOfBrackets(value)) {
            int at = one.indexOf('@');
            if (at <= 0 || at == one.length() - 1) {
                throw place.mistake("option '" + word + "': '" + one + "' is not PATH@HOST");
            }
            places.add(new FsLocations.Place(
                    hosts(place, word, one.substring(at + 1)), path(place, word, one.substring(0, at))));
        }
        return places;
    }

    /** Splits at colons, except those in IPv6 addresses. */
    private static List<String> outsideOfBrackets(String value) {
        List<String> parts = new ArrayList<>();
        int begin = 0;
        boolean inside = false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            inside = c == '[' || (inside && c != ']');
            if (c == ':' && !inside) {
                parts.add(value.substring(begin, i));
                begin = i + 1;
            }
        }
        parts.add(value.substring(begin));
        return parts;
    }

    private static List<String> hosts(Place place, String word, String text) throws ConfigException {
        List<String> hosts = new ArrayList<>();
        for (String host : Splitter.on('+').split(text)) {
            boolean bracketed = host.startsWith("[") && host.endsWith("]");
            String bare = bracketed ? host.substring(1, host.length() - 1) : host;
            if (!isHost(bare, bracketed)) {
                throw place.mistake(
                        "option '" + word + "': '" + host + "' is not a host; write an IPv6 address in brackets");
            }
            hosts.add(bare);
        }
        return hosts;
    }

    /** @param withColons whether it may be an IPv6 address */
    static boolean isHost(String word, boolean withColons) {
        return !word.isEmpty() && word.chars().allMatch(c -> isOfHosts(c) || (withColons && (c == ':' || c == '%')));
    }

    private static boolean isOfHosts(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '_'
                || c == '.';
    }

    private static PseudoPath path(Place place, String word, String text) throws ConfigException {
        try {
            return PseudoPath.of(text);
        } catch (IllegalArgumentException e) {
            throw place.mistake("option '" + word + "': " + e.getMessage());
        }
    }
}
