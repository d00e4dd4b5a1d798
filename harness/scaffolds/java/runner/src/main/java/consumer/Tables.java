package consumer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Tables in memory: rows by their key, or a multiset where rows have none. */
final class Tables {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A database and a table of it. */
  record Name(String schema, String name) {}

  /** What a column holds, and what a row has that lacks it. */
  record Column(String kind, Object absent) {}

  private record Entry(Map<String, Object> key, Map<String, Object> row) {}

  final Map<Name, Table> stored = new LinkedHashMap<>();

  Table of(Name name) {
    return stored.computeIfAbsent(name, other -> new Table());
  }

  /** The rows of one table. Which columns are its key is what its last row said. */
  static final class Table {
    private Map<String, List<Entry>> rows = new LinkedHashMap<>();
    private Set<String> key = Set.of();
    private long shapedAt;
    Map<String, Column> shape;

    List<Map<String, Object>> all() {
      return rows.values().stream().flatMap(List::stream).map(Entry::row).toList();
    }

    /** Takes a row, in the place of the one with its key. */
    void put(Map<String, Object> key, Map<String, Object> row) {
      use(key.keySet());
      List<Entry> found = rows.computeIfAbsent(id(key, row), id -> new ArrayList<>());
      if (!key.isEmpty()) {
        found.clear();
      }
      found.add(new Entry(key, row));
    }

    /** Removes the row with this key, or one row like this where there are no keys. */
    void remove(Map<String, Object> key, Map<String, Object> row) {
      use(key.keySet());
      List<Entry> found = rows.getOrDefault(id(key, row), List.of());
      if (!found.isEmpty()) {
        found.remove(found.size() - 1);
      }
    }

    /** Gives every row another form. */
    void change(UnaryOperator<Map<String, Object>> form) {
      List<Entry> known = rows.values().stream().flatMap(List::stream).toList();
      rows = new LinkedHashMap<>();
      for (Entry entry : known) {
        Map<String, Object> found = new LinkedHashMap<>();
        for (String name : key) {
          boolean isInRow = entry.row.containsKey(name);
          found.put(name, isInRow ? entry.row.get(name) : entry.key.get(name));
        }
        Map<String, Object> row = form.apply(entry.row);
        rows.computeIfAbsent(id(found, row), id -> new ArrayList<>()).add(new Entry(found, row));
      }
    }

    /**
     * Returns a row in the table's shape, which is that of the newest row.
     *
     * <p>Nothing else tells of DDL, so older rows follow: a column that stayed keeps its value, a
     * new one, or one of another kind, has its default. Partitions overtake each other: a row of a
     * lower commit ts does not change the shape back.
     */
    Map<String, Object> fitted(Map<String, Object> row, Map<String, Column> own, long ts) {
      if (ts < shapedAt) {
        return inShape(row, own, shape);
      }
      Map<String, Column> last = shape;
      shape = own;
      shapedAt = ts;
      if (last != null && !isSame(last, own)) {
        change(older -> inShape(older, last, own));
      }
      return row;
    }

    /** Finds rows by another key from now on. */
    private void use(Set<String> names) {
      if (!names.equals(key)) {
        key = Set.copyOf(names);
        change(row -> row);
      }
    }
  }

  /** The row with the columns of another shape. */
  static Map<String, Object> inShape(
      Map<String, Object> row, Map<String, Column> own, Map<String, Column> shape) {
    Map<String, Object> shaped = new LinkedHashMap<>();
    shape.forEach(
        (name, column) -> {
          boolean stays = row.containsKey(name) && own.get(name).kind.equals(column.kind);
          shaped.put(name, stays ? row.get(name) : column.absent);
        });
    return shaped;
  }

  /** One text for some columns' values, whatever the order of the columns. */
  static String text(Map<String, Object> values) {
    try {
      return JSON.writeValueAsString(new TreeMap<>(values));
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(error);
    }
  }

  private static String id(Map<String, Object> key, Map<String, Object> row) {
    return text(key.isEmpty() ? row : key);
  }

  private static boolean isSame(Map<String, Column> one, Map<String, Column> other) {
    return one.keySet().equals(other.keySet())
        && one.keySet().stream()
            .allMatch(name -> Objects.equals(one.get(name).kind, other.get(name).kind));
  }
}
