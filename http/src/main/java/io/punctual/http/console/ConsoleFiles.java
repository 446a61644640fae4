package io.punctual.http.console;

import io.punctual.http.exchange.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests below the console's address: a file by its name, and the page for each address
 * of a screen. The page names its files relative to the request, so that the console works below
 * any path of a proxy. The files are in a folder whose name changes with them, so browsers keep
 * them without asking again. Files are kept compressed. Safe for use by many threads.
 */
public final class ConsoleFiles {
  private static final Pattern FILE =
      Pattern.compile(
          "(files/(?<version>[\\w-]+)/)?(?<name>(pages/)?[a-z-]+\\.(js|css|svg|LICENSE))");

  /** A file that the page names. */
  private static final Pattern NAMED = Pattern.compile("\\{files}([^\"]+)");

  private static final Pattern GZIP = Pattern.compile("\\bgzip\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern NO_GZIP =
      Pattern.compile("\\bgzip *; *q=0(\\.0*)? *(,|$)", Pattern.CASE_INSENSITIVE);

  private static final Map<String, String> TYPES =
      Map.of(
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "LICENSE", "text/plain; charset=utf-8");

  /** Nothing but the console's own files runs, and no text of a message is ever markup. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types lit-html";

  private final Map<String, Content> contents = new ConcurrentHashMap<>();
  private final String page = page();
  private final String version = version();

  /**
   * @param zipped the bytes compressed by gzip, or null if that makes them no shorter
   */
  private record Content(byte[] bytes, byte @Nullable [] zipped, String type, String tag) {
    static Content of(byte[] bytes, String type) {
      byte[] zipped = zip(bytes);
      return new Content(
          bytes, zipped.length < bytes.length ? zipped : null, type, ConsoleFiles.tag(bytes));
    }
  }

  /** Creates it. */
  public ConsoleFiles() {}

  /**
   * Answers a request.
   *
   * @param path the path below the console's address, as it was sent, without a slash at its start
   * @param knownTag the header {@code If-None-Match}, or null
   * @param codings the header {@code Accept-Encoding}, or null
   */
  public Answer get(String path, @Nullable String knownTag, @Nullable String codings) {
    Matcher file = FILE.matcher(path);
    boolean isFile = file.matches();
    Content content = isFile ? file(file.group("name")) : page(path);
    Map<String, String> headers = new HashMap<>();
    headers.put("Content-Security-Policy", POLICY);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    // During an upgrade, a page can ask the other version for its files, which then answers its
    // own.
    boolean isKept = isFile && version.equals(file.group("version")) && content != null;
    headers.put("Cache-Control", isKept ? "public, max-age=31536000, immutable" : "no-cache");
    if (content == null) {
      headers.put("Content-Type", "text/plain; charset=utf-8");
      byte[] text = "The console has no such file.\n".getBytes(StandardCharsets.UTF_8);
      return new Answer(404, headers, new Answer.Bytes(text), Answer.Written.NOTHING);
    }
    boolean isZipped = content.zipped() != null && takesGzip(codings);
    headers.put("Vary", "Accept-Encoding");
    String tag = isZipped ? content.tag().replaceFirst(".$", "-gzip\"") : content.tag();
    headers.put("ETag", tag);
    if (tag.equals(knownTag)) {
      return new Answer(304, headers, new Answer.Bytes(new byte[0]), Answer.Written.NOTHING);
    }
    headers.put("Content-Type", content.type());
    byte[] bytes = content.bytes();
    if (isZipped) {
      headers.put("Content-Encoding", "gzip");
      bytes = Objects.requireNonNull(content.zipped());
    }
    return new Answer(200, headers, new Answer.Bytes(bytes), Answer.Written.NOTHING);
  }

  private static boolean takesGzip(@Nullable String codings) {
    return codings != null && GZIP.matcher(codings).find() && !NO_GZIP.matcher(codings).find();
  }

  private static byte[] zip(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private @Nullable Content file(String path) {
    Content known = contents.get(path);
    if (known != null) {
      return known;
    }
    byte[] bytes = read(path);
    if (bytes == null) {
      return null;
    }
    String type = TYPES.getOrDefault(path.substring(path.lastIndexOf('.') + 1), "text/plain");
    Content content = Content.of(bytes, type);
    contents.put(path, content);
    return content;
  }

  /** Makes the page for a screen: its files are as many folders up as the address has slashes. */
  private Content page(String path) {
    int folders = (int) path.chars().filter(c -> c == '/').count();
    String files = "./" + "../".repeat(folders) + "files/" + version + "/";
    byte[] bytes = page.replace("{files}", files).getBytes(StandardCharsets.UTF_8);
    return Content.of(bytes, "text/html; charset=utf-8");
  }

  private static String page() {
    byte[] template = read("index.html");
    if (template == null) {
      throw new IllegalStateException("index.html is missing in the jar of punctual-http");
    }
    return new String(template, StandardCharsets.UTF_8);
  }

  /** Returns a text that differs if any of the files differs. */
  private String version() {
    StringBuilder tags = new StringBuilder(page);
    NAMED
        .matcher(page)
        .results()
        .map(named -> Objects.requireNonNull(file(named.group(1)), named.group(1)).tag())
        .forEach(tags::append);
    return tag(tags.toString().getBytes(StandardCharsets.UTF_8)).replace("\"", "");
  }

  private static byte @Nullable [] read(String name) {
    try (InputStream in = ConsoleFiles.class.getResourceAsStream(name)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("Can't read " + name + " of the console", e);
    }
  }

  private static String tag(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return '"'
          + Base64.getUrlEncoder().withoutPadding().encodeToString(digest).substring(0, 22)
          + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256", e);
    }
  }
}
