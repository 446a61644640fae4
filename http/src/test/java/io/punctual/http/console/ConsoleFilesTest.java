package io.punctual.http.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.exchange.Answer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleFilesTest {
  private static final Path FOLDER = Path.of("src/main/resources/io/punctual/http/console");

  private final ConsoleFiles files = new ConsoleFiles();

  @ParameterizedTest
  @CsvSource({"'', ./", "q/orders, ./../", "q/a%2Fb/m/1, ./../../../", "dead, ./"})
  void pageNamesItsFilesRelativeToTheAddressOfTheScreen(String path, String root) {
    Answer page = files.get(path, null, null);

    assertThat(page.status()).isEqualTo(200);
    assertThat(text(page))
        .containsPattern("src=\"" + Pattern.quote(root) + "files/[\\w-]{22}/app\\.js\"")
        .doesNotContain("{");
  }

  /** The modules are loaded side by side, and the name of their folder depends on all files. */
  @Test
  void pageNamesEachFile() throws IOException {
    String page = text(files.get("", null, null));
    for (String name : names()) {
      if (!name.endsWith("LICENSE")) {
        assertThat(page).contains("/" + name + "\"");
      }
    }
  }

  @Test
  void filesOfThisVersionAreKept_andThoseOfAnotherAreNot() {
    Matcher app = Pattern.compile("src=\"./([^\"]+)\"").matcher(text(files.get("", null, null)));
    assertThat(app.find()).isTrue();
    Answer kept = files.get(app.group(1), null, null);
    Answer other = files.get("files/older/app.js", null, null);

    assertThat(kept.headers().get("Cache-Control")).contains("immutable");
    assertThat(other.headers()).containsEntry("Cache-Control", "no-cache");
    assertThat(files.get("", null, null).headers()).containsEntry("Cache-Control", "no-cache");
    assertThat(text(other)).isEqualTo(text(kept));
    assertThat(files.get("files/older/missing.js", null, null).status()).isEqualTo(404);
  }

  @Test
  void everyFileThatIsNamedByAnotherIsServed() throws IOException {
    for (String name : names()) {
      assertThat(files.get(name, null, null).status()).as(name).isEqualTo(200);
      if (name.endsWith(".js") && !name.equals("lit-html.js")) {
        Matcher imports =
            Pattern.compile("from '(\\.[^']+)'").matcher(Files.readString(FOLDER.resolve(name)));
        while (imports.find()) {
          Path target = FOLDER.resolve(name).getParent().resolve(imports.group(1)).normalize();
          assertThat(target).as("import of " + name).isRegularFile();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing.js", "pages/missing.js", "missing.css"})
  void missingFileIsNotThePage(String path) {
    assertThat(files.get(path, null, null).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../ConsoleFiles.class",
        "..%2f..%2fopenapi.json",
        "pages/../app.js",
        "index.html"
      })
  void noPathLeadsOutOfTheFolder(String path) {
    assertThat(text(files.get(path, null, null))).contains("<!doctype html>");
  }

  @Test
  void knownFileIsNotSentAgain() {
    String tag = files.get("app.js", null, null).headers().get("ETag");

    Answer again = files.get("app.js", tag, null);

    assertThat(again.status()).isEqualTo(304);
    assertThat(text(again)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "app.js", "missing.js", "q/orders"})
  void nothingButTheConsoleRuns(String path) {
    assertThat(files.get(path, null, null).headers())
        .containsEntry("X-Content-Type-Options", "nosniff")
        .hasEntrySatisfying(
            "Content-Security-Policy",
            policy ->
                assertThat(policy)
                    .contains("default-src 'none'", "require-trusted-types-for 'script'")
                    .doesNotContain("unsafe", "http:", "https:", "*"));
  }

  @Test
  void litHtmlIsTheReleasedFile() throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256")
            .digest(Files.readAllBytes(FOLDER.resolve("lit-html.js")));

    assertThat(HexFormat.of().formatHex(digest))
        .as("lit-html 3.3.3 without its last line, the address of a source map")
        .isEqualTo("22115ca1002e4afc0dd2cb208f28d9c71a577a8989d4185028e26b29676e7842");
  }

  /** Text of messages becomes text nodes only, and styles come from the style sheet. */
  @Test
  void moduleNeverMakesMarkupOrStylesOfText() throws IOException {
    for (String name : names()) {
      if (name.endsWith(".js") && !name.equals("lit-html.js")) {
        assertThat(Files.readString(FOLDER.resolve(name)))
            .as(name)
            .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "unsafeHTML", "eval(")
            .doesNotContain("document.write", " style=", "new Function", "http://cdn", "https://");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'gzip, deflate, br', true",
    "GZIP;q=0.5, true",
    "'gzip;q=0, br', false",
    "'br;q=1, gzip; q=0.0', false",
    "br, false",
    "'', false"
  })
  void filesAreCompressed_forWhomTakesIt(String codings, boolean compressed) throws IOException {
    Answer plain = files.get("api.js", null, null);
    Answer answer = files.get("api.js", null, codings);

    assertThat(answer.headers()).containsEntry("Vary", "Accept-Encoding");
    assertThat(answer.headers().containsKey("Content-Encoding")).isEqualTo(compressed);
    if (compressed) {
      byte[] bytes = ((Answer.Bytes) answer.body()).content();
      byte[] unzipped = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
      assertThat(unzipped).isEqualTo(((Answer.Bytes) plain.body()).content());
      assertThat(answer.headers().get("ETag")).isNotEqualTo(plain.headers().get("ETag"));
      assertThat(files.get("api.js", answer.headers().get("ETag"), codings).status())
          .isEqualTo(304);
    }
  }

  @Test
  void allFilesHaveRoomInSixtyKilobytes() throws IOException {
    int size = 0;
    for (String name : names()) {
      if (!name.endsWith("LICENSE")) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
          zip.write(Files.readAllBytes(FOLDER.resolve(name)));
        }
        size += out.size();
      }
    }
    assertThat(size).isLessThanOrEqualTo(60_000);
  }

  private static List<String> names() throws IOException {
    try (Stream<Path> all = Files.walk(FOLDER)) {
      return all.filter(Files::isRegularFile)
          .map(file -> FOLDER.relativize(file).toString())
          .filter(name -> !name.equals("index.html"))
          .sorted()
          .toList();
    }
  }

  private static String text(Answer answer) {
    return new String(((Answer.Bytes) answer.body()).content(), StandardCharsets.UTF_8);
  }
}
