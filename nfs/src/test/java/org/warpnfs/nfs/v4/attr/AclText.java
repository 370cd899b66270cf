package org.warpnfs.nfs.v4.attr;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.warpnfs.nfs.v4.attr.Nfs4Ace.Who;

/** Lists in the notation of nfs4_acl(5): type:flags:who:permissions. */
final class AclText {
    private static final String LETTERS = "rwaxDtTcCy";
    private static final int[] BITS = {1, 2, 4, 0x20, 0x40, 0x80, 0x100, 0x2_0000, 0x4_0000, 0x10_0000};

    static Nfs4Ace ace(String text) {
        List<String> words = Stream.of(text.split(":", -1)).toList();
        int mask = 0;
        for (char letter : words.get(3).toCharArray()) {
            mask |= BITS[LETTERS.indexOf(letter)];
        }
        int flags = 0;
        boolean isGroup = false;
        for (char letter : words.get(1).toCharArray()) {
            switch (letter) {
                case 'f' -> flags |= 1;
                case 'd' -> flags |= 2;
                case 'i' -> flags |= 8;
                default -> isGroup = true;
            }
        }
        Who who =
                switch (words.get(2)) {
                    case "OWNER@" -> new Who.Owner();
                    case "GROUP@" -> new Who.OwningGroup();
                    case "EVERYONE@" -> new Who.Everyone();
                    default -> {
                        long id = Long.parseLong(words.get(2));
                        yield isGroup ? new Who.Group(id) : new Who.User(id);
                    }
                };
        return new Nfs4Ace(words.get(0).equals("A") ? 0 : 1, flags, mask, who);
    }

    static List<Nfs4Ace> aces(String... texts) {
        return Stream.of(texts).map(AclText::ace).toList();
    }

    static SortedMap<Long, Integer> names(long... idsAndPermissions) {
        SortedMap<Long, Integer> names = new TreeMap<>();
        for (int i = 0; i < idsAndPermissions.length; i += 2) {
            names.put(idsAndPermissions[i], (int) idsAndPermissions[i + 1]);
        }
        return names;
    }

    private AclText() {}
}
