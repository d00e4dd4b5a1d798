"""Statements with the text that TiDB writes back, by what they show; laws walk over all of them.

Facts from TiDB pkg/parser/ast/ddl.go and its neighbours, not copied from anybody's tests.
"""

from __future__ import annotations

from collections.abc import Mapping

# What TiCDC would send, for what a person may write.
RESTORED: Mapping[str, str] = {
    # databases
    "create schema d default character set = utf8mb4 collate utf8mb4_bin": (
        "CREATE DATABASE `d` CHARACTER SET = utf8mb4 COLLATE = utf8mb4_bin"
    ),
    "CREATE DATABASE IF NOT EXISTS d ENCRYPTION 'N'": (
        "CREATE DATABASE IF NOT EXISTS `d` ENCRYPTION = 'N'"
    ),
    "alter database charset latin1": "ALTER DATABASE CHARACTER SET = latin1",
    "alter database d placement policy p": "",
    "drop schema if exists `a``b`": "DROP DATABASE IF EXISTS `a``b`",
    # types
    "create table t (a integer, b int4(5) zerofill, c middleint unsigned, d bool, e boolean)": (
        "CREATE TABLE `t` (`a` INT,`b` INT(5) UNSIGNED ZEROFILL,`c` MEDIUMINT UNSIGNED,"
        "`d` TINYINT(1),`e` TINYINT(1))"
    ),
    "create table t (a numeric(8), b dec(8,2), c fixed, d real, e double precision, f float(30))": (
        "CREATE TABLE `t` (`a` DECIMAL(8),`b` DECIMAL(8,2),`c` DECIMAL,`d` DOUBLE,`e` DOUBLE,"
        "`f` DOUBLE)"
    ),
    "create table t (a float(7,3), b float(10), c bit, d bit(9), e year, f year(4))": (
        "CREATE TABLE `t` (`a` FLOAT(7,3),`b` FLOAT,`c` BIT(1),`d` BIT(9),`e` YEAR,`f` YEAR(4))"
    ),
    "create table t (a national char(3), b nchar varchar(4), c character varying(5), d char)": (
        "CREATE TABLE `t` (`a` CHAR(3),`b` VARCHAR(4),`c` VARCHAR(5),`d` CHAR)"
    ),
    "create table t (a char(9) character set binary, b text charset binary, c long varbinary)": (
        "CREATE TABLE `t` (`a` BINARY(9),`b` BLOB,`c` MEDIUMBLOB)"
    ),
    "create table t (a varchar(9) binary, b long, c text(9) ascii, d long varchar charset gbk)": (
        "CREATE TABLE `t` (`a` VARCHAR(9) BINARY,`b` MEDIUMTEXT,`c` TEXT(9) CHARACTER SET LATIN1,"
        "`d` MEDIUMTEXT CHARACTER SET GBK)"
    ),
    "create table t (a enum('x','it''s ') character set gbk, b set('p','q'), c vector(3))": (
        "CREATE TABLE `t` (`a` ENUM('x','it''s'),`b` SET('p','q'),`c` VECTOR(3))"
    ),
    "create table t (a datetime(3), b timestamp(0), c time, d date, e json, f vector<float>)": (
        "CREATE TABLE `t` (`a` DATETIME(3),`b` TIMESTAMP(0),`c` TIME,`d` DATE,`e` JSON,`f` VECTOR)"
    ),
    "create table t (a serial)": (
        "CREATE TABLE `t` (`a` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE KEY)"
    ),
    # column options
    r"create table t (a int key comment 'back\\slash', b varchar(9) default 'it''s \\ x')": (
        r"CREATE TABLE `t` (`a` INT PRIMARY KEY COMMENT 'back\\slash',"
        r"`b` VARCHAR(9) DEFAULT _UTF8MB4'it''s \\ x')"
    ),
    (
        "create table t (a int default -5, b int default +5, c decimal(5,3) default .50, d"
        " int default 007)"
    ): (
        "CREATE TABLE `t` (`a` INT DEFAULT -5,`b` INT DEFAULT +5,`c` DECIMAL(5,3) DEFAULT 0.50,"
        "`d` INT DEFAULT 7)"
    ),
    "create table t (a double default 1.5e10, b bool default true, c bit(8) default b'0101')": (
        "CREATE TABLE `t` (`a` DOUBLE DEFAULT 1.5e+10,`b` TINYINT(1) DEFAULT TRUE,"
        "`c` BIT(8) DEFAULT b'101')"
    ),
    (
        "create table t (a varchar(9) default N'x', b char(3) default _latin1'y', c blob"
        " default (uuid()))"
    ): (
        "CREATE TABLE `t` (`a` VARCHAR(9) DEFAULT _UTF8'x',`b` CHAR(3) DEFAULT _LATIN1'y',"
        "`c` BLOB DEFAULT (UUID()))"
    ),
    (
        "create table t (a timestamp default now() on update localtime(3), b datetime"
        " default (now()))"
    ): (
        "CREATE TABLE `t` (`a` TIMESTAMP DEFAULT CURRENT_TIMESTAMP() ON UPDATE"
        " CURRENT_TIMESTAMP(3),"
        "`b` DATETIME DEFAULT CURRENT_TIMESTAMP())"
    ),
    (
        "create table t (a int as (b + 1), b int, c int generated always as (b div 2)"
        " stored not null)"
    ): (
        "CREATE TABLE `t` (`a` INT GENERATED ALWAYS AS(`b`+1) VIRTUAL,`b` INT,"
        "`c` INT GENERATED ALWAYS AS(`b` DIV 2) STORED NOT NULL)"
    ),
    "create table t (a int check (a > 0) not enforced, b int constraint c check (b <> 1))": (
        "CREATE TABLE `t` (`a` INT CHECK(`a`>0) NOT ENFORCED,"
        "`b` INT CONSTRAINT `c` CHECK(`b`!=1) ENFORCED)"
    ),
    "create table t (a int references p(id) match full on update no action on delete set null)": (
        "CREATE TABLE `t` (`a` INT REFERENCES `p`(`id`) MATCH FULL ON DELETE SET NULL"
        " ON UPDATE NO ACTION)"
    ),
    "create table t (a bigint auto_random(5, 54), b int column_format fixed storage disk)": (
        "CREATE TABLE `t` (`a` BIGINT /*T![auto_rand] AUTO_RANDOM(5, 54) */,"
        "`b` INT COLUMN_FORMAT FIXED STORAGE DISK)"
    ),
    # keys
    (
        "create table t (a int, b text, primary key using btree (a) key_block_size 8, key k"
        " (b(5) desc))"
    ): (
        "CREATE TABLE `t` (`a` INT,`b` TEXT,PRIMARY KEY(`a`) KEY_BLOCK_SIZE=8 USING BTREE,"
        "INDEX `k`(`b`(5) DESC))"
    ),
    "create table t (a int, index type type hash (a) visible comment 'c', key ((a*2), a) global)": (
        "CREATE TABLE `t` (`a` INT,INDEX `type`(`a`) USING HASH COMMENT 'c' VISIBLE,"
        "INDEX((`a`*2), `a`) /*T![global_index] GLOBAL */)"
    ),
    "create table t (a int, fulltext index f (a) with parser ngram, constraint u unique key (a))": (
        "CREATE TABLE `t` (`a` INT,FULLTEXT `f`(`a`) WITH PARSER `ngram`,UNIQUE `u`(`a`))"
    ),
    "create table t (a int, foreign key (a) references p (b) on delete cascade)": (
        "CREATE TABLE `t` (`a` INT,CONSTRAINT FOREIGN KEY (`a`) REFERENCES `p`(`b`) ON"
        " DELETE CASCADE)"
    ),
    "create index i on t (a) pre_split_regions = (between (1) and (9) regions 4)": (
        "CREATE INDEX `i` ON `t` (`a`)"
        " /*T![pre_split] PRE_SPLIT_REGIONS = (BETWEEN (1) AND (9) REGIONS 4) */"
    ),
    "create unique index if not exists i using btree on t (a) algorithm=inplace lock=none": (
        "CREATE UNIQUE INDEX /*T! IF NOT EXISTS  */`i` ON `t` (`a`) USING BTREE"
        " ALGORITHM = INPLACE LOCK = NONE"
    ),
    "create vector index v on t ((vec_cosine_distance(a))) using hnsw": (
        "CREATE VECTOR INDEX `v` ON `t` ((VEC_COSINE_DISTANCE(`a`))) USING HNSW"
    ),
    "drop index if exists i on t lock = default": "DROP INDEX /*T! IF EXISTS  */`i` ON `t`",
    # table options
    (
        "create table t (a int) engine innodb, default charset utf8, collate utf8_bin"
        " row_format=compact"
    ): (
        "CREATE TABLE `t` (`a` INT) ENGINE = innodb DEFAULT CHARACTER SET = UTF8"
        " DEFAULT COLLATE = UTF8_BIN ROW_FORMAT = COMPACT"
    ),
    (
        "create table t (a int) auto_id_cache 1 auto_random_base=9 force auto_increment 3"
        " stats_persistent=1"
    ): (
        "CREATE TABLE `t` (`a` INT) /*T![auto_id_cache] AUTO_ID_CACHE = 1 */"
        " /*T![auto_rand_base] AUTO_RANDOM_BASE = 9 */ /*T![force_inc] FORCE */ AUTO_INCREMENT = 3"
        " STATS_PERSISTENT = DEFAULT /* TableOptionStatsPersistent is not supported */ "
    ),
    (
        r"create table t (a int) comment 'one \\ two' union (x, d.y) tablespace ts data"
        r" directory 'p'"
    ): (
        r"CREATE TABLE `t` (`a` INT) COMMENT = 'one \ two' UNION = (`x`,`d`.`y`)"
        " TABLESPACE = `ts` DATA DIRECTORY = 'p'"
    ),
    "create table t (a datetime) ttl a + interval 90 day ttl_enable 'ON' ttl_job_interval '1h'": (
        "CREATE TABLE `t` (`a` DATETIME) /*T![ttl] TTL = `a` + INTERVAL 90 DAY */"
        " /*T![ttl] TTL_ENABLE = 'OFF' */ /*T![ttl] TTL_JOB_INTERVAL = '1h' */"
    ),
    "create table t (a int) /*T![placement] placement policy=p */ comment='c'": (
        "CREATE TABLE `t` (`a` INT)  COMMENT = 'c'"
    ),
    "create global temporary table t (a int) on commit preserve rows": (
        "CREATE GLOBAL TEMPORARY TABLE `t` (`a` INT) ON COMMIT PRESERVE ROWS"
    ),
    "create table d.t (like d.u)": "CREATE TABLE `d`.`t` LIKE `d`.`u`",
    # partitions
    "create table t (a int) partition by linear key algorithm = 2 (a) partitions 4": (
        "CREATE TABLE `t` (`a` INT) PARTITION BY LINEAR KEY ALGORITHM = 2 (`a`) PARTITIONS 4"
    ),
    "create table t (a int) partition by hash (year(a) mod 4)": (
        "CREATE TABLE `t` (`a` INT) PARTITION BY HASH (YEAR(`a`)%4) PARTITIONS 1"
    ),
    (
        "create table t (a int) partition by range (a) (partition p values less than"
        " maxvalue comment 'c')"
    ): (
        "CREATE TABLE `t` (`a` INT) PARTITION BY RANGE (`a`)"
        " (PARTITION `p` VALUES LESS THAN (MAXVALUE) COMMENT = 'c')"
    ),
    "create table t (a int, b int) partition by list columns (a, b)"
    " (partition p values in ((1, 'x'), (2, 'y')), partition q default)": (
        "CREATE TABLE `t` (`a` INT,`b` INT) PARTITION BY LIST COLUMNS (`a`,`b`)"
        " (PARTITION `p` VALUES IN ((1, _UTF8MB4'x'), (2, _UTF8MB4'y')),PARTITION `q` DEFAULT)"
    ),
    "create table t (a int, b int) partition by range (a) subpartition by hash (b) subpartitions 2"
    " (partition p values less than (5) (subpartition s0, subpartition s1 engine = x))": (
        "CREATE TABLE `t` (`a` INT,`b` INT) PARTITION BY RANGE (`a`) SUBPARTITION BY HASH (`b`)"
        " SUBPARTITIONS 2 (PARTITION `p` VALUES LESS THAN (5)"
        " (SUBPARTITION `s0`,SUBPARTITION `s1` ENGINE = x))"
    ),
    # ALTER TABLE
    "alter table t add (a int, key (a)), add b int first, add column if not exists c int after b": (
        "ALTER TABLE `t` ADD COLUMN (`a` INT, INDEX(`a`)), ADD COLUMN `b` INT FIRST,"
        " ADD COLUMN /*T! IF NOT EXISTS  */`c` INT AFTER `b`"
    ),
    "alter table t modify if exists a int, change b c int first, drop if exists d restrict": (
        "ALTER TABLE `t` MODIFY COLUMN /*T! IF EXISTS  */`a` INT, CHANGE COLUMN `b` `c` INT FIRST,"
        " DROP COLUMN /*T! IF EXISTS  */`d`"
    ),
    (
        "alter table t alter a set default (now()), alter b set default 'x', alter column c"
        " drop default"
    ): (
        "ALTER TABLE `t` ALTER COLUMN `a` SET DEFAULT (NOW()), ALTER COLUMN `b` SET DEFAULT"
        " _UTF8MB4'x', ALTER COLUMN `c` DROP DEFAULT"
    ),
    "alter table t alter a set default -1": "ALTER TABLE `t` ALTER COLUMN `a` SET DEFAULT (-1)",
    (
        "alter table t add index if not exists (a), add foreign key if not exists f (a)"
        " references p (b)"
    ): (
        "ALTER TABLE `t` ADD INDEX/*T!  IF NOT EXISTS */(`a`),"
        " ADD CONSTRAINT `f` FOREIGN KEY /*T! IF NOT EXISTS  */(`a`) REFERENCES `p`(`b`)"
    ),
    "alter table t drop key if exists k, drop foreign key f, drop check c, drop constraint d": (
        "ALTER TABLE `t` DROP INDEX /*T! IF EXISTS  */`k`, DROP FOREIGN KEY `f`, DROP CHECK `c`,"
        " DROP CHECK `d`"
    ),
    (
        "alter table t rename key a to b, rename = d.u, alter check c not enforced, order"
        " by a desc, b"
    ): (
        "ALTER TABLE `t` RENAME INDEX `a` TO `b`, RENAME AS `d`.`u`, ALTER CHECK `c` NOT ENFORCED,"
        " ORDER BY `a` DESC,`b`"
    ),
    (
        "alter table t lock shared, algorithm = instant, force, enable keys, read only,"
        " with validation"
    ): (
        "ALTER TABLE `t` LOCK = SHARED, ALGORITHM = INSTANT,"
        " FORCE /* AlterTableForce is not supported */ , ENABLE KEYS, READ ONLY, WITH VALIDATION"
    ),
    "alter table t charset = utf8": "ALTER TABLE `t` DEFAULT CHARACTER SET = UTF8",
    "alter table t character set default collate utf8_bin": (
        "ALTER TABLE `t` CHARACTER SET DEFAULT COLLATE UTF8_BIN"
    ),
    "alter table t convert to character set utf8": "ALTER TABLE `t` CONVERT TO CHARACTER SET UTF8",
    "alter table t convert to charset default": (
        "ALTER TABLE `t` CONVERT TO CHARACTER SET DEFAULT"
    ),
    "alter table t attributes='a', comment 'b' auto_increment 3, placement policy p": (
        "ALTER TABLE `t` COMMENT = 'b' AUTO_INCREMENT = 3"
    ),
    "alter table t cache, stats_options default, set tiflash replica 2 location labels 'a', 'b'": (
        "ALTER TABLE `t` CACHE, STATS_OPTIONS=DEFAULT,"
        " SET TIFLASH REPLICA 2 LOCATION LABELS 'a', 'b'"
    ),
    "alter table t add stats_extended if not exists s correlation (a, b), drop stats_extended s": (
        "ALTER TABLE `t` ADD STATS_EXTENDED IF NOT EXISTS `s` CORRELATION(`a`, `b`),"
        " DROP STATS_EXTENDED `s`"
    ),
    "alter table t add a int partition by hash (a) partitions 2": (
        "ALTER TABLE `t` ADD COLUMN `a` INT PARTITION BY HASH (`a`) PARTITIONS 2"
    ),
    "alter table t add partition if not exists (partition p values in (1))": (
        "ALTER TABLE `t` ADD PARTITION/*T!  IF NOT EXISTS */ (PARTITION `p` VALUES IN (1))"
    ),
    "alter table t add partition local partitions 3, coalesce partition no_write_to_binlog 2": (
        "ALTER TABLE `t` ADD PARTITION NO_WRITE_TO_BINLOG PARTITIONS 3,"
        " COALESCE PARTITION NO_WRITE_TO_BINLOG 2"
    ),
    (
        "alter table t truncate partition all, rebuild partition local all, drop partition"
        " if exists p, q"
    ): (
        "ALTER TABLE `t` TRUNCATE PARTITION ALL, REBUILD PARTITION NO_WRITE_TO_BINLOG ALL,"
        " DROP PARTITION /*T! IF EXISTS  */`p`,`q`"
    ),
    "alter table t reorganize partition p into (partition a values less than (1))": (
        "ALTER TABLE `t` REORGANIZE PARTITION `p` INTO (PARTITION `a` VALUES LESS THAN (1))"
    ),
    "alter table t import partition p tablespace, discard tablespace, remove partitioning": (
        "ALTER TABLE `t` IMPORT PARTITION `p` TABLESPACE DISCARD TABLESPACE REMOVE PARTITIONING"
    ),
    "alter table t partition p placement policy q": "",
    "alter table t split maxvalue partition less than (9), last partition less than (20)": (
        "ALTER TABLE `t` SPLIT MAXVALUE PARTITION LESS THAN (9), LAST PARTITION LESS THAN (20)"
    ),
    # the rest
    "drop tables if exists a, b.c cascade": "DROP TABLE IF EXISTS `a`, `b`.`c`",
    "drop temporary table t": "DROP TEMPORARY TABLE `t`",
    "rename tables a to b, c.d to e.f": "RENAME TABLE `a` TO `b`, `c`.`d` TO `e`.`f`",
    "truncate d.t": "TRUNCATE TABLE `d`.`t`",
    "recover table t 3": "RECOVER TABLE `t` 3",
    "flashback table t to u": "FLASHBACK TABLE `t` TO `u`",
    (
        "create sequence if not exists s increment by -2 no minvalue start 5 nocycle cache"
        " = 9 comment 'x'"
    ): (
        "CREATE SEQUENCE IF NOT EXISTS `s` INCREMENT BY -2 NO MINVALUE START WITH 5 NOCYCLE CACHE 9"
        " COMMENT = 'x'"
    ),
    "alter sequence s restart with 3": "ALTER SEQUENCE `s` RESTART WITH 3",
    "drop sequence if exists a, b": "DROP SEQUENCE IF EXISTS `a`, `b`",
    "create placement policy p followers=2": "",
    "drop resource group if exists g": "",
}


# SELECTs, as views hold them.
QUERIES: Mapping[str, str] = {
    "select 1": "SELECT 1",
    "select *, t.*, d.t.* from d.t": "SELECT *,`t`.*,`d`.`t`.* FROM `d`.`t`",
    "select a as x, b y, c 'z', count(*), count(distinct a) from t": (
        "SELECT `a` AS `x`,`b` AS `y`,`c` AS `z`,COUNT(1),COUNT(DISTINCT `a`) FROM `t`"
    ),
    (
        "select distinct a from t as u where a in (1, 2) and not b group by a, b desc"
        " having c order by 1"
    ): (
        "SELECT DISTINCT `a` FROM `t` AS `u` WHERE `a` IN (1,2) AND NOT `b` GROUP BY `a`,`b` DESC"
        " HAVING `c` ORDER BY 1"
    ),
    "select 1 from a, b, c": "SELECT 1 FROM ((`a`) JOIN `b`) JOIN `c`",
    "select 1 from (select 2) x, y": "SELECT 1 FROM (SELECT 2) AS `x`, `y`",
    "select 1 from a join b on a.i = b.i left outer join c using (i, j) cross join d": (
        "SELECT 1 FROM ((`a` JOIN `b` ON `a`.`i`=`b`.`i`) LEFT JOIN `c` USING (`i`,`j`)) JOIN `d`"
    ),
    "select 1 from a natural right join (b join c) straight_join d": (
        "SELECT 1 FROM (`a` NATURAL RIGHT JOIN (`b` JOIN `c`)) STRAIGHT_JOIN `d`"
    ),
    "select 1 from t partition (p, q) u use index (i, primary) ignore key for order by ()": (
        "SELECT 1 FROM `t` PARTITION(`p`, `q`) AS `u` USE INDEX (`i`, `primary`)"
        " IGNORE INDEX FOR ORDER BY ()"
    ),
    "select 1 union all (select 2 limit 3) except distinct select 4 order by 1 limit 5, 6": (
        "SELECT 1 UNION ALL (SELECT 2 LIMIT 3) EXCEPT SELECT 4 ORDER BY 1 LIMIT 5,6"
    ),
    (
        "with recursive c (n) as (select 1 union select n + 1 from c) select n from c limit"
        " 7 offset 8"
    ): (
        "WITH RECURSIVE `c` (`n`) AS (SELECT 1 UNION SELECT `n`+1 FROM `c`) SELECT `n` FROM `c`"
        " LIMIT 8,7"
    ),
    (
        "select sum(a) over (partition by b order by c desc rows between 1 preceding and"
        " current row)"
    ): (
        "SELECT SUM(`a`) OVER (PARTITION BY `b` ORDER BY `c` DESC ROWS BETWEEN 1 PRECEDING AND"
        " CURRENT ROW)"
    ),
    (
        "select lag(a) over w, rank() over (w range unbounded preceding) from t window w as"
        " (order by a)"
    ): (
        "SELECT LAG(`a`) OVER `w`,RANK() OVER (`w` RANGE BETWEEN UNBOUNDED PRECEDING AND"
        " CURRENT ROW) FROM `t` WINDOW `w` AS (ORDER BY `a`)"
    ),
    (
        "select 1 from dual where exists (select 1) and a > all (select 2) and (a, b) in"
        " (select 3, 4)"
    ): (
        "SELECT 1 FROM DUAL WHERE EXISTS (SELECT 1) AND `a`>ALL (SELECT 2)"
        " AND ROW(`a`,`b`) IN (SELECT 3,4)"
    ),
    "table t": "TABLE `t`",
    "values row(1, 2), row(3, 4)": "VALUES ROW(1,2), ROW(3,4)",
    "select sql_no_cache straight_join all a from t for update": (
        "SELECT SQL_NO_CACHE ALL STRAIGHT_JOIN `a` FROM `t` FOR UPDATE"
    ),
    "select a from t fetch first 3 rows only": "SELECT `a` FROM `t` LIMIT 3",
}

# Expressions, as generated columns and checks hold them.
EXPRESSIONS: Mapping[str, str] = {
    "a*(b+1)-c/d%e div f mod g": "`a`*(`b`+1)-`c`/`d`%`e` DIV `f`%`g`",
    "a | b & c << d ^ ~e": "`a`|`b`&`c`<<`d`^~`e`",
    "a <=> b or c xor d && !e || not f": "`a`<=>`b` OR `c` XOR `d` AND !`e` OR NOT `f`",
    "a is not null and b is true and c is not unknown": (
        "`a` IS NOT NULL AND `b` IS TRUE AND `c` IS NOT NULL"
    ),
    "a not between 1 and 2 and b not in (1) and c not like 'x' escape '|' and d rlike 'y'": (
        "`a` NOT BETWEEN 1 AND 2 AND `b` NOT IN (1) AND `c` NOT LIKE _UTF8MB4'x' ESCAPE '|'"
        " AND `d` REGEXP _UTF8MB4'y'"
    ),
    "j->'$.a' = 1 and j->>'$.b' member of ('[1]')": (
        "JSON_EXTRACT(`j`, _UTF8MB4'$.a')=1"
        " AND JSON_UNQUOTE(JSON_EXTRACT(`j`, _UTF8MB4'$.b')) MEMBER OF (_UTF8MB4'[1]')"
    ),
    "d + interval 1 day - interval '1:2' minute_second": (
        "DATE_SUB(DATE_ADD(`d`, INTERVAL 1 DAY), INTERVAL _UTF8MB4'1:2' MINUTE_SECOND)"
    ),
    "interval 2 week + d": "DATE_ADD(`d`, INTERVAL 2 WEEK)",
    "adddate(d, 3) - date_sub(d, interval 1 year)": (
        "ADDDATE(`d`, INTERVAL 3 DAY)-DATE_SUB(`d`, INTERVAL 1 YEAR)"
    ),
    ("case when a then 1 when b then 2 else 3 end"): (
        "CASE WHEN `a` THEN 1 WHEN `b` THEN 2 ELSE 3 END"
    ),
    "case a when 1 then 'x' end": "CASE `a` WHEN 1 THEN _UTF8MB4'x' END",
    "cast(a as char(3)) + cast(b as decimal(9, 2)) + cast(c as unsigned integer)": (
        "CAST(`a` AS CHAR(3))+CAST(`b` AS DECIMAL(9, 2))+CAST(`c` AS UNSIGNED)"
    ),
    "cast(j->'$.x' as char(9) array)": "CAST(JSON_EXTRACT(`j`, _UTF8MB4'$.x') AS CHAR(9) ARRAY)",
    "convert(a using gbk) = convert(b, datetime(3))": (
        "CONVERT(`a` USING 'gbk')=CONVERT(`b`, DATETIME(3))"
    ),
    "extract(day_hour from d) + timestampdiff(month, a, b)": (
        "EXTRACT(DAY_HOUR FROM `d`)+TIMESTAMPDIFF(MONTH, `a`, `b`)"
    ),
    "trim(a) + trim(both 'x' from b) + trim(leading from c) + trim('y' from d)": (
        "TRIM(`a`)+TRIM(BOTH _UTF8MB4'x' FROM `b`)+TRIM(LEADING _UTF8MB4' ' FROM `c`)"
        "+TRIM(_UTF8MB4'y' FROM `d`)"
    ),
    "substr(a from 2 for 3) + substring(b, 4) + position('x' in c)": (
        "SUBSTR(`a`, 2, 3)+SUBSTRING(`b`, 4)+POSITION(_UTF8MB4'x' IN `c`)"
    ),
    "char(65, 66) + char(67 using utf8mb4) + insert(a, 1, 2, b) + left(a, 1) + mod(a, 2)": (
        "CHAR_FUNC(65, 66, NULL)+CHAR_FUNC(67, 'utf8mb4')+INSERT_FUNC(`a`, 1, 2, `b`)+LEFT(`a`, 1)"
        "+`a`%2"
    ),
    "if(a, b, c) + ifnull(d, e) + concat_ws(',', f, g) + replace(h, 'x', 'y') + `uuid`()": (
        "IF(`a`, `b`, `c`)+IFNULL(`d`, `e`)+CONCAT_WS(_UTF8MB4',', `f`, `g`)"
        "+REPLACE(`h`, _UTF8MB4'x', _UTF8MB4'y')+UUID()"
    ),
    "current_date + utc_timestamp(3) + date '2020-01-01' + {ts '2020-01-01 00:00:00'}": (
        "CURRENT_DATE()+UTC_TIMESTAMP(3)+DATE '2020-01-01'+TIMESTAMP '2020-01-01 00:00:00'"
    ),
    "a collate utf8mb4_bin = binary b": "`a` COLLATE utf8mb4_bin=BINARY `b`",
    "x'0F' + 0x1 + b'0' + .5 + 1. + 1e-7 + 99999999999999999999": (
        "x'0f'+x'01'+b'0'+0.5+1+1e-07+99999999999999999999"
    ),
    "t.a + d.t.b + @x + @@session.y": "`t`.`a`+`d`.`t`.`b`+@x+@@session.y",
    "group_concat(distinct a order by b desc separator '-') + std(c)": (
        "GROUP_CONCAT(DISTINCT `a` ORDER BY `b` DESC SEPARATOR '-')+STDDEV_POP(`c`)"
    ),
    "match (a, b) against ('x' in boolean mode) + default(c) + row(1, 2)": (
        "MATCH (`a`,`b`) AGAINST (_UTF8MB4'x' IN BOOLEAN MODE)+DEFAULT(`c`)+ROW(1,2)"
    ),
    "weight_string(a as char(3)) + get_format(timestamp, 'EUR')": (
        "WEIGHT_STRING(`a` AS CHAR(3))+GET_FORMAT(DATETIME, _UTF8MB4'EUR')"
    ),
}
