package org.warpnfs.server.log;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import org.slf4j.event.KeyValuePair;

/**
 * Encodes each line as one JSON object, with the call's pairs in {@code kvpList}. Text from a peer cannot leave its
 * string, and contains no control characters.
 */
final class JsonLine extends JsonEncoder {
    @Override
    public byte[] encode(ILoggingEvent line) {
        if (line instanceof LoggingEvent event) {
            for (KeyValuePair pair : CallPairs.missing(line)) {
                event.addKeyValuePair(pair);
            }
        }
        String json = new String(super.encode(line), StandardCharsets.UTF_8);
        // The last character is the newline.
        int end = json.stripTrailing().length();
        return (Printable.json(json.substring(0, end)) + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    }
}
