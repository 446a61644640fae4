package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Limits;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.route.Route;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Sends times at the ends of their ranges, and beyond, in each place that takes a time. */
final class TimeBoundsTest {
  private static final Duration RANGE = Duration.ofDays(Limits.DAYS);
  private static final List<String> INSTANTS =
      List.of(
          Instant.MIN.toString(),
          Instant.MAX.toString(),
          "0000-01-01T00:00:00+18:00",
          "9999-12-31T23:59:59.999999999-18:00",
          Instant.EPOCH.minus(RANGE).plusSeconds(1).toString(),
          Instant.EPOCH.plus(RANGE).minusSeconds(1).toString(),
          Instant.EPOCH.toString());
  private static final List<String> DURATIONS =
      List.of(
          Duration.ofSeconds(Long.MIN_VALUE).toString(),
          Duration.ofSeconds(Long.MAX_VALUE, 999_999_999).toString(),
          "999999999999999ms",
          "999999999999999h",
          "999999999999999d",
          RANGE.toString(),
          RANGE.minusNanos(1).toString(),
          RANGE.minusNanos(1).negated().toString(),
          "PT-0.001S",
          "PT0.000000001S",
          "0s");
  private static final String QUEUE = "/v1/queues/q";
  private static final List<String> READS =
      List.of(
          QUEUE,
          QUEUE + "/messages/a",
          QUEUE + "/messages?state=scheduled",
          QUEUE + "/messages?state=ready",
          QUEUE + "/messages?state=leased",
          QUEUE + "/messages?state=dead",
          QUEUE + "/forecast",
          QUEUE + "/diagnosis",
          QUEUE + "/lateness",
          "/v1/recurring",
          "/v1/find?id=a",
          "/v1/overview",
          "/v1/overview/queues?sort=attention",
          "/v1/tasks",
          "/v1/tokens",
          "/v1/webhooks");

  private final ApiDriver api =
      new ApiDriver("memory:", builder -> builder.webhooks(new ListedWebhooks()));

  @AfterEach
  void close() {
    api.close();
  }

  private static ApiDriver.Response checked(ApiDriver.Response response, String what) {
    assertThat(response.status()).as(what + ": " + response.text()).isLessThan(500);
    response.written().done(true);
    return response;
  }

  private void checkReads(String what) {
    for (String read : READS) {
      checked(api.get(read), read + " after " + what);
    }
  }

  private static List<String> filled(String request) {
    return request.contains("INSTANT")
        ? INSTANTS.stream().map(time -> request.replace("INSTANT", time)).toList()
        : DURATIONS.stream().map(time -> request.replace("DURATION", time)).toList();
  }

  @Test
  void queries() {
    api.post(QUEUE + "/messages", "{'id':'a','payload':1}").is(201);
    int sent = 0;
    for (Route route : api.api.routes()) {
      for (String name : route.query()) {
        if (Set.of("from", "to", "window").contains(name)) {
          String path = route.template().replace("{queue}", "q") + "?";
          path += route.query().contains("state") ? "state=scheduled&" : "";
          for (String time : name.equals("window") ? DURATIONS : INSTANTS) {
            String target = path + name + "=" + URLEncoder.encode(time, StandardCharsets.UTF_8);
            checked(api.get(target), target);
            sent++;
          }
        }
      }
    }
    assertThat(sent).isGreaterThan(50);
  }

  @Test
  void bodies() {
    api.roles.put("role", Set.of(new Grant(Right.OBSERVE, "q")));
    String hook = "'queue':'q','url':'https://hooks.example/q',";
    String task = "{'queue':'q','dryRun':true,'delay':'1d','action':";
    for (String request :
        List.of(
            "PUT /v1/webhooks/hook {" + hook + "'per':'DURATION'}",
            "PUT /v1/webhooks/hook {" + hook + "'timeout':'DURATION'}",
            "PUT /v1/webhooks/hook {" + hook + "'retries':['DURATION']}",
            "POST /v1/webhooks/hook/keys {'overlap':'DURATION'}",
            "POST /v1/webhooks/hook/replay {'since':'INSTANT'}",
            "POST /v1/tokens {'id':'t','role':'role','expires':'INSTANT'}",
            "PUT /v1/queues/q/limits {'rate':1000,'per':'DURATION'}",
            "POST /v1/tasks " + task + "'run','filter':{'from':'INSTANT'}}",
            "POST /v1/tasks " + task + "'run','filter':{'to':'INSTANT'}}",
            "POST /v1/tasks " + task + "'redrive','filter':{'from':'INSTANT'}}",
            "POST /v1/tasks " + task + "'redrive','filter':{'to':'INSTANT'}}",
            "POST /v1/tasks " + task + "'shift','shift':'DURATION'}",
            "POST /v1/tasks {'queue':'q','dryRun':true,'action':'run','delay':'DURATION'}",
            "PUT /v1/queues/q/messages/a {'payload':1,'delay':'DURATION'}",
            "PATCH /v1/queues/q/messages/a {'delay':'DURATION'}",
            "PATCH /v1/queues/q/messages/a {'dueAt':'INSTANT'}",
            message("'rememberFor':'DURATION'"),
            message("'recurrence':{'every':'DURATION'}"),
            message("'delay':'1h','recurrence':{'every':'DURATION','catchUp':true}"),
            message("'dueAt':'INSTANT','recurrence':{'every':'1d','catchUp':true}"),
            message("'dueAt':'INSTANT','recurrence':{'cron':'0 9 * * *'}"),
            message("'dueAt':'INSTANT'"),
            message("'notAfter':'INSTANT'"))) {
      for (String each : filled(request)) {
        String[] parts = each.split(" ", 3);
        ApiDriver.Response answer = checked(api.json(parts[0], parts[1], parts[2]), each);
        if (answer.status() < 300) {
          checkReads(each);
        }
      }
    }
  }

  private static String message(String fields) {
    return "PUT /v1/queues/q/messages/a {'payload':1,'ifPresent':'replace'," + fields + "}";
  }

  @Test
  void headers() {
    for (String header :
        List.of(
            "Punctual-Delay: DURATION",
            "Punctual-Due-At: INSTANT",
            "Punctual-Not-After: INSTANT",
            "Punctual-Remember-For: DURATION",
            "Punctual-Every: DURATION")) {
      for (String each : filled(header)) {
        String[] parts = each.split(": ", 2);
        String[] all = {"Content-Type", "application/octet-stream", parts[0], parts[1]};
        checked(api.send(TestHead.of("PUT", QUEUE + "/messages/a", all), new byte[1]), each);
      }
    }
  }

  @Test
  void claimsAndSettlements() {
    for (String fields : List.of("'lease':'DURATION'", "'wait':'DURATION'")) {
      for (String each : filled(fields)) {
        checked(api.post(QUEUE + "/claims", "{" + each + "}"), each);
      }
    }
    for (String fields :
        List.of(
            "'action':'extend','lease':'DURATION'",
            "'action':'retry','delay':'DURATION'",
            "'action':'defer','delay':'DURATION'",
            "'action':'repeat','delay':'DURATION'",
            "'action':'repeat','dueAt':'INSTANT'",
            "'action':'ack'")) {
      for (String due : List.of(INSTANTS.get(4), Instant.EPOCH.toString())) {
        for (String each : filled(fields)) {
          settle(due, each);
        }
      }
    }
  }

  /** Takes a message that was due long ago, and settles it. */
  private void settle(String due, String fields) {
    String message = message("'dueAt':'" + due + "'").split(" ", 3)[2];
    api.json("PUT", QUEUE + "/messages/a", message);
    ApiDriver.Response claimed =
        checked(api.post(QUEUE + "/claims", "{'worker':{'name':'w'}}"), "claim of " + due);
    JsonNode delivery = claimed.at("/deliveries/0");
    String settlement =
        "{'id':'a','token':'" + delivery.get("token").asString() + "'," + fields + "}";
    checked(api.post(QUEUE + "/settlements", "[" + settlement + "]"), fields);
    checkReads(fields);
  }
}
