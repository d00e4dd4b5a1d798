package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/** TiCDC's Avro messages: nothing tells of DDL, so a new shape comes with a row. */
final class Reader {
  private static final Set<String> DIALECTS = Set.of("current", "6");

  final Tables tables = new Tables();

  /** None: the stream tells of no statements. */
  final List<Map<String, Object>> ddl = null;

  private final Registry registry;
  private final Map<Tables.Name, Map<String, Long>> greatest = new HashMap<>();

  private Reader(Registry registry) {
    this.registry = registry;
  }

  /** Makes the reader of each changefeed; all of them ask one registry. */
  static Function<JsonNode, Reader> readers(JsonNode job) {
    Registry registry = new Registry(job.path("registry"));
    return feed -> new Reader(registry);
  }

  /** Names what a changefeed asks for and this program does not do; "" for nothing. */
  static String lacking(JsonNode feed) {
    String protocol = feed.path("protocol").asText();
    String dialect = feed.path("dialect").asText();
    if (!protocol.equals("avro")) {
      return "protocol:" + protocol;
    }
    if (!DIALECTS.contains(dialect)) {
      return "dialect:" + dialect;
    }
    String zone = feed.path("settings").path("tz").asText("UTC");
    if (!zone.equals("UTC")) {
      return "tz:" + zone;
    }
    return feed.path("complete").isTextual() ? "avro-enable-watermark" : "";
  }

  /** Applies one message. */
  void take(TopicPartition place, byte[] keyBytes, byte[] valueBytes)
      throws IOException, InterruptedException {
    if (keyBytes == null) {
      throw new IOException("a row without a key");
    }
    Form.Read key = registry.read(keyBytes);
    if (valueBytes == null) {
      // A tombstone has no commit ts, so what its key has seen stays known.
      tables.of(key.form().name).remove(key.row(), Map.of());
      return;
    }
    Form.Read value = registry.read(valueBytes);
    if (!value.form().name.equals(key.form().name)) {
      throw new IOException("key and value are of two tables");
    }
    put(key, value);
  }

  /**
   * Takes an inserted or updated row, unless its key has seen a later one.
   *
   * <p>A stream that is sent again brings older versions back. Without TiDB's extension there is no
   * commit ts: then the order of arrival within the partition is all there is.
   */
  private void put(Form.Read key, Form.Read value) {
    Form form = value.form();
    Map<String, Long> known = greatest.computeIfAbsent(form.name, name -> new HashMap<>());
    String id = Tables.text(key.row());
    long ts = value.commitTs();
    long seen = known.getOrDefault(id, 0L);
    if (ts != 0 && ts < seen) {
      return;
    }
    known.put(id, Math.max(ts, seen));
    Tables.Table table = tables.of(form.name);
    table.put(key.row(), table.fitted(value.row(), form.shape, ts));
  }
}
