package io.punctual.redis.client.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a caller may conclude from an error reply or a lost connection. */
final class FailuresTest {
  private static RedisCallException ofReply(String error) {
    return Failures.of(new RedisCommandExecutionException(error), true);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOADING Redis is loading the dataset in memory",
        "READONLY You can't write against a read only replica.",
        "MASTERDOWN Link with MASTER is down",
        "CLUSTERDOWN Hash slot not served",
        "MOVED 3999 127.0.0.1:6381",
        "ASK 3999 127.0.0.1:6381",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "BUSY Redis is busy running a script",
        "NOREPLICAS Not enough good replicas to write.",
        "MISCONF Redis is configured to save RDB snapshots",
        "ERR Error running script (call to f_1): @user_script:1: -MISCONF Errors writing"
      })
  void of_passingError_isNotSentThoughItWasWritten(String error) {
    assertThat(ofReply(error))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining(error);
    assertThat(RedisCallException.isTransient(ofReply(error))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR user_script:1: bad argument",
        "ERR MASKING of BUSYNESS is unknown",
        "BUSYGROUP Consumer Group name already exists",
        "OOM command not allowed when used memory > 'maxmemory'."
      })
  void of_lastingError_isRefused(String error) {
    assertThat(ofReply(error)).isInstanceOf(RedisCallException.Refused.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR Connection refused",
        "ERR Connection reset by peer",
        "ERR Connection timed out",
        "SERVER_ERROR Connection timed out",
        "ERR Broken pipe",
        "ERR Host is down",
        "ERR Invalid argument",
        "ERR unknown"
      })
  void of_proxyLostItsServer_isUnanswered(String error) {
    assertThat(ofReply(error)).isInstanceOf(RedisCallException.Unanswered.class);
  }

  /**
   * Errors of proxies and of managed servers: the error may come after the server has run the
   * request.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR handle response, backend conn reset",
        "ERR handle response, session is closed",
        "ERR backend server 'r1' does not answer, which is LOADING or BUSY",
        "upstream failure",
        "no upstream host",
        "ERR Proxy error",
        "ERR timeout",
        "ERR max daily request limit exceeded",
        "TOO_MANY_REQUESTS slow down",
        "SERVER_ERROR Connection timed out",
        ""
      })
  void of_unknownErrorBehindAProxy_isUnanswered(String error) {
    RedisCallException failure = Failures.of(new RedisCommandExecutionException(error), true, true);
    assertThat(failure)
        .isInstanceOf(RedisCallException.Unanswered.class)
        .hasMessageContaining(error);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TOO_MANY_REQUESTS slow down", "QUOTA exceeded", "upstream failure"})
  void of_codeThatRedisDoesNotHave_isUnanswered(String error) {
    assertThat(ofReply(error)).isInstanceOf(RedisCallException.Unanswered.class);
  }

  /**
   * Errors of Redis itself, which it sends before it runs the request or before the first change.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "OOM command not allowed when used memory > 'maxmemory'.",
        "NOPERM this user has no permissions to run the 'eval' command",
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "PUNCTUAL partitions 8",
        "ERR Error running script (call to f_1): @user_script:1: PUNCTUAL format 9",
        "ERR value is not an integer or out of range script: 0a, on @user_script:3.",
        "ERR unknown command 'FOO'",
        "CROSSSLOT Keys in request don't hash to the same slot"
      })
  void of_errorOfRedisBehindAProxy_isRefused(String error) {
    assertThat(Failures.of(new RedisCommandExecutionException(error), true, true))
        .isInstanceOf(RedisCallException.Refused.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ERR unknown command 'FOO'", "ERR Invalid argument for 'X'"})
  void of_errorThatOnlyBeginsLikeThatOfAProxy_isRefused(String error) {
    assertThat(ofReply(error)).isInstanceOf(RedisCallException.Refused.class);
    assertThat(RedisCallException.isTransient(ofReply(error))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NOPERM this user has no permissions to run the 'eval' command",
        "ERR The user executing the script can't run this command or subcommand",
        "ERR ACL failure in script: User has no permissions"
      })
  void of_missingRight_isRefusedAndNamesTheDocumentation(String error) {
    assertThat(ofReply(error))
        .isInstanceOf(RedisCallException.Refused.class)
        .hasMessageContaining("ACL rights");
  }

  @Test
  void of_lostConnection_dependsOnWhetherTheRequestWasWritten() {
    Throwable lost = new CompletionException(new RedisConnectionException("closed"));
    assertThat(Failures.of(lost, true))
        .isInstanceOf(RedisCallException.Unanswered.class)
        .hasMessage("Redis did not answer: closed");
    assertThat(Failures.of(lost, false))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessage("Redis could not be asked: closed");
  }

  @Test
  void of_knownFailure_isKept() {
    RedisCallException known = Failures.notSent("too many", null);
    assertThat(Failures.of(new CompletionException(known), true)).isSameAs(known);
  }

  @Test
  void isRefusedConnection_anyDepth_isFoundByTheRootCause() {
    Throwable login = new RedisCommandExecutionException("WRONGPASS invalid pair");
    assertThat(Failures.isRefusedConnection(new RedisConnectionException("no", login))).isTrue();
    assertThat(Failures.isRefusedConnection(new RedisCommandExecutionException("NOAUTH required")))
        .isTrue();
    assertThat(Failures.isRefusedConnection(new RedisConnectionException("WRONGPASS"))).isFalse();
    assertThat(Failures.isRefusedConnection(new RedisCommandExecutionException("ERR NOAUTH")))
        .isFalse();
  }

  @Test
  void describe_rootCause_isNamedBesideTheMessage() {
    Throwable root = new IllegalStateException("no route to host");
    assertThat(Failures.describe(new RedisConnectionException("Unable to connect", root)))
        .isEqualTo("Unable to connect (no route to host)");
    assertThat(Failures.describe(new IllegalStateException())).isEqualTo("IllegalStateException");
    assertThat(
            Failures.describe(
                new RedisConnectionException(
                    "Unable to connect", new RedisCommandExecutionException("NOAUTH required"))))
        .startsWith("NOAUTH required; put the password into the URL");
  }
}
