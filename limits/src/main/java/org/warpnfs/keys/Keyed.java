package org.warpnfs.keys;

/**
 * A key of a hash table whose hash code nobody can choose.
 *
 * @param key a text, a number, an address, a list of these, or something that has a {@link KeyedHash} itself
 */
public record Keyed<K>(K key) {
    @Override
    public int hashCode() {
        return KeyedHash.ofAny(key);
    }
}
