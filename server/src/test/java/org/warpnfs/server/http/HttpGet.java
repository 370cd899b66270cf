package org.warpnfs.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** The answer to a single GET request. */
public record HttpGet(int status, String contentType, String text) {
    public static HttpGet of(InetSocketAddress server, String path) throws IOException {
        return of(server, path, "GET");
    }

    static HttpGet of(InetSocketAddress server, String path, String method) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + server.getPort() + path)
                .toURL()
                .openConnection(Proxy.NO_PROXY);
        connection.setRequestMethod(method);
        connection.setReadTimeout(60_000);
        int status = connection.getResponseCode();
        try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new HttpGet(status, connection.getContentType(), text);
        }
    }
}
