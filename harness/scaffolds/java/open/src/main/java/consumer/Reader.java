package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/**
 * TiCDC's Open Protocol: events wait until the resolved ts of every partition has passed them.
 *
 * <p>A message is a batch: its key and its value are cut into frames, one pair of frames an event.
 */
final class Reader {
  private static final Set<String> DIALECTS = Set.of("current", "newarch");
  private static final String LARGE =
      "sink.kafka-config.large-message-handle.large-message-handle-option";
  private static final long VERSION = 1;
  private static final int ROW = 1;
  private static final int DDL = 2;
  private static final int RESOLVED = 3;

  /** At one commit ts DDL comes first, then deletes, then what puts rows there. */
  private enum Rank {
    DDL,
    DELETE,
    PUT
  }

  /** An event that waits: a DDL statement, or a row with its key that comes or goes. */
  private record Event(
      long ts, Rank rank, Tables.Name name, Columns.Image image, String statement, int action) {}

  final Tables tables = new Tables();
  final List<Map<String, Object>> ddl = new ArrayList<>();
  private final Map<TopicPartition, Long> marks = new HashMap<>();
  private final long below;
  private long applied;

  /** By what two copies of an event have in common, so that a duplicate waits once. */
  private final Map<List<Object>, Event> waiting = new LinkedHashMap<>();

  /** DDL of the ts that is applied. */
  private final Set<List<Object>> executed = new HashSet<>();

  private Reader(JsonNode feed) {
    for (JsonNode topic : feed.path("topics")) {
      for (int number = 0; number < topic.path("partitions").asInt(); number++) {
        marks.put(new TopicPartition(topic.path("name").asText(), number), 0L);
      }
    }
    below = feed.path("complete").asText().equals("below") ? 1 : 0;
  }

  /** Makes the reader of each changefeed. */
  static Function<JsonNode, Reader> readers(JsonNode job) {
    return Reader::new;
  }

  /** Names what a changefeed asks for and this program does not do; "" for nothing. */
  static String lacking(JsonNode feed) {
    String protocol = feed.path("protocol").asText();
    String dialect = feed.path("dialect").asText();
    if (!protocol.equals("open")) {
      return "protocol:" + protocol;
    }
    if (!DIALECTS.contains(dialect)) {
      return "dialect:" + dialect;
    }
    String zone = feed.path("settings").path("tz").asText("UTC");
    if (!zone.equals("UTC")) {
      return "tz:" + zone;
    }
    String large = feed.path("settings").path(LARGE).asText("none");
    return large.equals("none") ? "" : "large-message-handle:" + large;
  }

  /** Takes one message. */
  void take(TopicPartition place, byte[] key, byte[] value) throws IOException {
    if (key == null || key.length < 8 || ByteBuffer.wrap(key).getLong() != VERSION) {
      throw new IOException("not version 1 of the protocol");
    }
    List<byte[]> keys = frames(ByteBuffer.wrap(key, 8, key.length - 8));
    List<byte[]> values = frames(ByteBuffer.wrap(value == null ? new byte[0] : value));
    if (keys.size() != values.size()) {
      throw new IOException(keys.size() + " keys and " + values.size() + " values");
    }
    for (int number = 0; number < keys.size(); number++) {
      take(place, Json.object(keys.get(number)), values.get(number));
    }
  }

  private void take(TopicPartition place, JsonNode told, byte[] frame) throws IOException {
    JsonNode ts = told.path("ts");
    int kind = told.path("t").asInt();
    if (!ts.canConvertToExactIntegral() || !ts.canConvertToLong() || kind < ROW || kind > RESOLVED) {
      throw new IOException("an event of ts " + ts + " and type " + told.path("t"));
    }
    if (kind == RESOLVED) {
      marks.merge(place, ts.longValue(), Math::max); // one may come late
      release();
      return;
    }
    if (told.has("ohk") || told.has("ccl")) {
      throw new Declined("large-message-handle");
    }
    var name = new Tables.Name(told.path("scm").asText(), told.path("tbl").asText());
    JsonNode value = Json.object(frame);
    if (kind == ROW) {
      row(ts.longValue(), name, told.path("rid").toString(), value);
    } else if (value.path("q").isTextual() && value.path("t").isInt()) {
      String statement = value.path("q").asText();
      var nothing = new Columns.Image(Map.of(), Map.of());
      int action = value.path("t").asInt();
      await(new Event(ts.longValue(), Rank.DDL, name, nothing, statement, action), "");
    } else {
      throw new IOException("DDL without its statement");
    }
  }

  private void row(long ts, Tables.Name name, String rid, JsonNode value) throws IOException {
    if (value.has("d")) {
      await(new Event(ts, Rank.DELETE, name, Columns.image(value.get("d")), "", 0), rid);
      return;
    }
    Columns.Image newest = Columns.image(value.get("u"));
    if (!value.path("p").isEmpty()) {
      // What did not change may be left out. A row without a key, or whose key changes, goes and
      // comes: so that rows that swap their keys do not meet.
      Map<String, Object> before = new TreeMap<>(newest.row());
      before.putAll(Columns.image(value.get("p")).row());
      Map<String, Object> key = new TreeMap<>(newest.key());
      key.replaceAll((column, now) -> before.get(column));
      if (key.isEmpty() || !Tables.text(key).equals(Tables.text(newest.key()))) {
        await(new Event(ts, Rank.DELETE, name, new Columns.Image(before, key), "", 0), rid);
      }
    }
    await(new Event(ts, Rank.PUT, name, newest, "", 0), rid);
  }

  /** Lets an event wait, unless it has been applied already or waits. */
  private void await(Event event, String rid) {
    if (event.ts < applied) {
      return;
    }
    Map<String, Object> key = event.image.key();
    String row = key.isEmpty() ? Tables.text(event.image.row()) + rid : Tables.text(key);
    List<Object> who = List.of(event.ts, event.rank, event.name, event.statement, row);
    if (event.ts > applied) {
      waiting.putIfAbsent(who, event);
    } else if (event.rank == Rank.DDL && executed.add(who)) {
      apply(event); // it may come right behind the resolved event of its own ts
    }
  }

  /** Applies what is complete: what no partition can tell of any more. */
  private void release() {
    long limit = marks.values().stream().min(Comparator.naturalOrder()).orElseThrow() - below;
    if (limit <= applied) {
      return;
    }
    applied = limit;
    executed.clear();
    waiting.forEach(
        (who, event) -> {
          if (event.ts == limit) {
            executed.add(who);
          }
        });
    List<Event> due = new ArrayList<>(waiting.values());
    due.removeIf(event -> event.ts > limit);
    waiting.values().removeIf(event -> event.ts <= limit);
    due.sort(Comparator.comparingLong(Event::ts).thenComparing(Event::rank));
    due.forEach(this::apply);
  }

  private void apply(Event event) {
    Tables.Name name = event.name;
    switch (event.rank) {
      case DDL -> {
        Statements.execute(tables, name, event.statement, event.action);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("query", event.statement);
        line.put("type", event.action);
        line.put("commit_ts", Long.toString(event.ts));
        line.put("schema", name.schema());
        line.put("table", name.name());
        ddl.add(line);
      }
      case DELETE -> tables.of(name).remove(event.image.key(), event.image.row());
      default -> tables.of(name).put(event.image.key(), event.image.row());
    }
  }

  /** The parts of a batch: before each stands its length, 8 bytes big-endian. */
  private static List<byte[]> frames(ByteBuffer batch) throws IOException {
    List<byte[]> frames = new ArrayList<>();
    while (batch.hasRemaining()) {
      if (batch.remaining() < 8) {
        throw new IOException("a length is cut short");
      }
      long length = batch.getLong();
      if (length < 0 || length > batch.remaining()) {
        throw new IOException("a frame of " + Long.toUnsignedString(length) + " bytes is cut short");
      }
      byte[] frame = new byte[(int) length];
      batch.get(frame);
      frames.add(frame);
    }
    return frames;
  }
}
