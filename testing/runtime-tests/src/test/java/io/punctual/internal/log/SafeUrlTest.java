package io.punctual.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the forms of URLs that can have a password. */
final class SafeUrlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "memory: | memory:",
        "journal:./data | journal:./data",
        "redis://:secret@db:6379/1?name=a | redis://db:6379/1",
        "redis-sentinel://u:secret@one,two/main | redis-sentinel://one,two/main",
        "https://token:secret@queue.example | https://queue.example",
        "jdbc:postgresql://db/shop?user=u&password=secret | jdbc:postgresql://db/shop",
        "jdbc:h2:./shop;USER=sa;PASSWORD=secret | jdbc:h2:./shop",
        "jdbc:h2:./shop(1);PASSWORD=secret | jdbc:h2:./shop(1)",
        "jdbc:h2:/srv/a@b/shop;PASSWORD=secret | jdbc:h2:/srv/a@b/shop",
        "jdbc:oracle:thin:scott/secret@//db/shop | jdbc://db/shop",
        "jdbc:mysql://u:secret@db:3306/shop | jdbc:mysql://db:3306/shop",
        "jdbc:mysql:replication://u:secret@one,u:secret@two/shop"
            + " | jdbc:mysql:replication://two/shop",
        "jdbc:mysql://(host=db,port=3306,user=u,password=secret)/shop?a=b"
            + " | jdbc:mysql://(host=db,port=3306)/shop",
        "jdbc:mysql://( Host = db , Password = secret )/shop | jdbc:mysql://(Host = db)/shop",
        "jdbc:mysql://u:secret@[(host=one),(host=two,password=secret)]/shop"
            + " | jdbc:mysql://[(host=one,host=two)]/shop",
        "jdbc:mysql://address=(host=db)(port=3306)(password=secret)/shop"
            + " | jdbc:mysql://address=(host=db,port=3306)/shop",
        "jdbc:mysql://(host=db,password=secret;secret?secret@secret)/shop"
            + " | jdbc:mysql://(host=db)/shop",
        "jdbc:mysql://(host=db,password=secret | jdbc:mysql://(host=db",
      })
  void of_urlWithSecrets_showsOnlyTheAddress(String url, String shown) {
    assertThat(SafeUrl.of(url)).isEqualTo(shown).doesNotContain("secret");
  }
}
