package consumer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** DDL: what becomes of the rows. Only what needs no parser of SQL; the rest is declined. */
final class Statements {
  private static final int DROP_SCHEMA = 2;
  private static final int CREATE_TABLE = 3;
  private static final int DROP_TABLE = 4;
  private static final int ADD_COLUMN = 5;
  private static final int DROP_COLUMN = 6;
  private static final int TRUNCATE_TABLE = 11;
  private static final int RENAME_TABLE = 14;

  /**
   * Databases, keys and indexes, comments, defaults, views, partitions without rows: rows stay as
   * they are. Where a table gets another key, its rows say so.
   */
  private static final Set<Integer> ROWS_STAY =
      Set.of(
          1, 7, 8, 9, 10, 13, 15, 17, 18, 19, 21, 24, 26, 32, 33, 41, 64, 65, 67, 71, 72);

  private static final String NAME = "`((?:[^`]|``)+)`";
  private static final String TABLE = NAME + "\\." + NAME;
  private static final Pattern RENAME = Pattern.compile("RENAME TABLE " + TABLE + " TO " + TABLE + ";?");
  private static final Pattern DROP =
      Pattern.compile("ALTER TABLE " + TABLE + " DROP COLUMN " + NAME);

  /** A new column whose value in older rows is NULL, or a whole number. */
  private static final Pattern ADD =
      Pattern.compile(
          "ALTER TABLE "
              + TABLE
              + " ADD COLUMN "
              + NAME
              + " (?:[A-Z]+(?:\\([\\d,]+\\))?(?: UNSIGNED)?(?: NULL)?(?: DEFAULT NULL)?"
              + "|[A-Z]*INT(?:\\(\\d+\\))?(?: UNSIGNED)?(?: NOT NULL)? DEFAULT (?<number>-?\\d+))");

  private Statements() {}

  /** Lets a table follow a statement; Declined is thrown for one that is not read here. */
  static void execute(Tables tables, Tables.Name name, String statement, int action) {
    Matcher rename = RENAME.matcher(statement);
    Matcher add = ADD.matcher(statement);
    Matcher drop = DROP.matcher(statement);
    if (Set.of(CREATE_TABLE, DROP_TABLE, TRUNCATE_TABLE).contains(action)) {
      tables.stored.remove(name);
    } else if (action == DROP_SCHEMA) {
      tables.stored.keySet().removeIf(other -> other.schema().equals(name.schema()));
    } else if (action == RENAME_TABLE && rename.matches()) {
      var old = new Tables.Name(plain(rename.group(1)), plain(rename.group(2)));
      Tables.Table moved = tables.of(old);
      tables.stored.remove(old);
      tables.stored.put(new Tables.Name(plain(rename.group(3)), plain(rename.group(4))), moved);
    } else if (action == ADD_COLUMN && add.matches()) {
      String value = add.group("number");
      tables.of(name).change(row -> with(row, plain(add.group(3)), value));
    } else if (action == DROP_COLUMN && drop.matches()) {
      tables.of(name).change(row -> without(row, plain(drop.group(3))));
    } else if (!ROWS_STAY.contains(action)) {
      throw new Declined("ddl:" + action);
    }
  }

  private static Map<String, Object> with(Map<String, Object> row, String name, String value) {
    Map<String, Object> made = new LinkedHashMap<>(row);
    made.put(name, value);
    return made;
  }

  private static Map<String, Object> without(Map<String, Object> row, String name) {
    Map<String, Object> made = new LinkedHashMap<>(row);
    made.remove(name);
    return made;
  }

  /** A name as it was before backticks in it were doubled. */
  private static String plain(String name) {
    return name.replace("``", "`");
  }
}
