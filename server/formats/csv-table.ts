import type * as z from 'zod';
import { formatCsvLine, type CsvValue } from '#shared/csv.ts';
import type { ParquetColumn, ParquetType } from './parquet.ts';

/** Column names of each record in a response, by the key of the record. The schema does not contain these names. */
export type RecordKeys = Readonly<Record<string, readonly string[]>>;

/** A table: its columns, and a function that visits its rows in a response that matches the schema. */
interface CsvTable {
  columns: readonly ParquetColumn[];
  /** Calls `visit` with each row of a response. */
  visitRows(response: unknown, visit: (row: CsvValue[]) => void): void;
}

/** JSON value, or undefined. */
type Value = Readonly<Record<string, unknown>> | readonly unknown[] | CsvValue;

/**
 * Columns of a part of a row. `append` takes the values of these columns from `value`, an item of the response, and
 * appends them to `row`.
 */
interface RowPart {
  columns: readonly ParquetColumn[];
  append: (row: CsvValue[], value: Value) => void;
}

/**
 * Returns the CSV lines of the table at the end of a path through a response with this schema: the line of headings and
 * the lines of rows; see {@link makeTable}.
 */
export function formatCsvLines(
  schema: z.ZodType,
  path: readonly string[],
  keys: RecordKeys,
  response: unknown,
): { headings: string; rows: string } {
  const table = makeTable(schema, path, keys);
  const lines: string[] = [];
  table.visitRows(response, (row) => lines.push(formatCsvLine(row)));
  const headings = formatCsvLine(table.columns.map(({ heading }) => heading));
  return { headings, rows: lines.join('') };
}

/** Returns the table of {@link formatCsvLines} as values, with the types of its columns. */
export function makeTypedTable(
  schema: z.ZodType,
  path: readonly string[],
  keys: RecordKeys,
  response: unknown,
): { columns: readonly ParquetColumn[]; rows: CsvValue[][] } {
  const table = makeTable(schema, path, keys);
  const rows: CsvValue[][] = [];
  table.visitRows(response, (row) => rows.push(row));
  return { columns: table.columns, rows };
}

/**
 * Returns the table at the end of a path through responses with this schema. A step `{name}` selects all values of an
 * object, with their keys in a column `name`. The columns come from the schema, so they are the same for every
 * response. Each field of a nested object has a column (`ertInterval.lower`). A list of plain values has one column
 * with JSON. A list of objects, lists or records has no column, and an object that contains such a list has none. A
 * record has the columns that `keys` names; none by default.
 *
 * A null whose schema has `x-null: Infinity` is infinite. `x-null-where` names one or several fields. The null is then
 * infinite only if none of them is null or 0, and its sign is the product of their signs. `x-null-unless` names a
 * field. The null is then infinite only if this field is 0. Any other null is a missing value.
 */
function makeTable(schema: z.ZodType, path: readonly string[], keys: RecordKeys): CsvTable {
  const [step, ...furtherPath] = path;
  const unwrappedSchema = unwrap(schema);
  if (unwrappedSchema.def.type === 'array') {
    const itemTable = makeItemTable(getElement(unwrappedSchema), path, keys);
    return {
      ...itemTable,
      visitRows: (response, visit) => {
        for (const element of (response ?? []) as unknown[]) itemTable.visitRows(element, visit);
      },
    };
  }
  if (step === undefined) return makeRowTable(makePart(unwrappedSchema, keys));
  const keyName = /^\{(\w+)\}$/.exec(step)?.[1];
  return keyName === undefined
    ? makeFieldTable(unwrappedSchema, step, furtherPath, keys)
    : makeValuesTable(unwrappedSchema, keyName, furtherPath, keys);
}

/** Returns the table of a field. It has no rows for a response in which the field is null or missing. */
function makeFieldTable(
  schema: z.ZodType,
  key: string,
  furtherPath: readonly string[],
  keys: RecordKeys,
): CsvTable {
  const table = makeTable(getFields(schema)[key] as z.ZodType, furtherPath, keys);
  return {
    ...table,
    visitRows: (response, visit) => {
      const value = (response as Record<string, unknown> | null | undefined)?.[key];
      if (value !== null && value !== undefined) table.visitRows(value, visit);
    },
  };
}

/** Returns the concatenated tables of all values of an object, with the key of each value in the first column. */
function makeValuesTable(
  schema: z.ZodType,
  heading: string,
  furtherPath: readonly string[],
  keys: RecordKeys,
): CsvTable {
  const fields = Object.entries(getFields(schema));
  const tables = fields.map(([key, field]) => [key, makeTable(field, furtherPath, keys)] as const);
  return {
    columns: [{ heading, type: 'STRING' }, ...(tables[0]?.[1].columns ?? [])],
    visitRows: (response, visit) => {
      for (const [key, table] of tables)
        table.visitRows((response as Record<string, unknown>)[key], (row) => visit([key, ...row]));
    },
  };
}

/**
 * Returns the table of the items of a list. If the path ends at the list, each item is a row. Otherwise the table
 * contains the rows at the end of the path, and each row begins with the plain fields of its item.
 */
function makeItemTable(item: z.ZodType, path: readonly string[], keys: RecordKeys): CsvTable {
  const itemSchema = unwrap(item);
  const part = makePart(itemSchema, keys);
  if (path.length === 0) return makeRowTable(part);
  const table = makeTable(itemSchema, path, keys);
  return {
    columns: [...part.columns, ...table.columns],
    visitRows: (value, visit) => {
      const ownValues: CsvValue[] = [];
      part.append(ownValues, value as Value);
      table.visitRows(value, (row) => visit([...ownValues, ...row]));
    },
  };
}

function makeRowTable({ columns, append }: RowPart): CsvTable {
  return {
    columns,
    visitRows: (value, visit) => {
      const row: CsvValue[] = [];
      append(row, value as Value);
      visit(row);
    },
  };
}

/** Returns the columns of a row with this schema; the only column is `value` if a row is not an object. */
function makePart(schema: z.ZodType, keys: RecordKeys): RowPart {
  if (schema.def.type !== 'object')
    return {
      columns: [{ heading: 'value', type: getType(schema) }],
      append: (row, value) => row.push(toPlainValue(value)),
    };
  const fields = Object.entries(getFields(schema));
  return joinParts(fields.flatMap(([key, field]) => makePartOfField(key, field, keys)));
}

function joinParts(parts: readonly RowPart[]): RowPart {
  return {
    columns: parts.flatMap(({ columns }) => columns),
    append: (row, value) => {
      for (const part of parts) part.append(row, value);
    },
  };
}

/**
 * Returns the columns of a field. Returns none for a list of objects, lists or records, and for an object that contains
 * such a list.
 */
function makePartOfField(key: string, field: z.ZodType, keys: RecordKeys): RowPart[] {
  const fieldSchema = unwrap(field);
  const { type } = fieldSchema.def;
  if (type === 'record') {
    const names = keys[key] ?? [];
    return [nestPart(key, joinParts(names.map((name) => makeColumn(name, 'STRING'))))];
  }
  if (type === 'array' && isStructured(getElement(fieldSchema))) return [];
  if (type !== 'object') return [makePlainPart(key, field)];
  return isFlat(fieldSchema) ? [nestPart(key, makePart(fieldSchema, keys))] : [];
}

function makeColumn(key: string, type: ParquetType): RowPart {
  return {
    columns: [{ heading: key, type }],
    append: (row, value) => row.push(toPlainValue(readField(value, key))),
  };
}

/** Returns the columns of an object in a row. Their values are null if the object is null or missing. */
function nestPart(key: string, { columns, append }: RowPart): RowPart {
  return {
    columns: columns.map((column) => ({ ...column, heading: `${key}.${column.heading}` })),
    append: (row, value) => {
      const nestedValue = readField(value, key);
      if (nestedValue !== null && nestedValue !== undefined) {
        append(row, nestedValue);
        return;
      }
      for (let missingValues = columns.length; missingValues > 0; missingValues -= 1)
        row.push(null);
    },
  };
}

/** Returns the column of a field that is a plain value or a list of plain values. */
function makePlainPart(key: string, field: z.ZodType): RowPart {
  const column = makeColumn(key, getType(field));
  const {
    'x-null': meaning,
    'x-null-where': signFieldNames = [],
    'x-null-unless': countField,
  } = readMeta(field);
  if (meaning !== 'Infinity') return column;
  const signFields = [signFieldNames].flat() as string[];
  return {
    // An integer column cannot contain infinite values.
    columns: [{ heading: key, type: 'DOUBLE' }],
    append: (row, value) => {
      const sign = signFields.reduce(
        (product, name) => product * Math.sign(Number(readField(value, name) ?? 0)),
        1,
      );
      const isKnown = typeof countField !== 'string' || readField(value, countField) === 0;
      if (readField(value, key) === null && sign !== 0 && isKnown) row.push(sign * Infinity);
      else column.append(row, value);
    },
  };
}

/** Returns the type of a column: INT64 for integers, even if long ones may be texts; STRING by default. */
function getType(schema: z.ZodType): ParquetType {
  const { type, format, options } = unwrap(schema).def as SchemaDefinition;
  if (options?.some((option) => getType(option) === 'INT64')) return 'INT64';
  if (type === 'number') return format === 'safeint' ? 'INT64' : 'DOUBLE';
  return type === 'boolean' ? 'BOOLEAN' : 'STRING';
}

interface SchemaDefinition {
  type: string;
  format?: string;
  options?: readonly z.ZodType[];
}

function readField(value: Value, key: string): Value {
  return (value as Record<string, Value>)[key];
}

function toPlainValue(value: Value): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Returns whether an object contains no list of objects, lists or records at any depth of objects. */
function isFlat(schema: z.ZodType): boolean {
  return Object.values(getFields(schema)).every((field) => {
    const fieldSchema = unwrap(field);
    if (fieldSchema.def.type === 'array') return !isStructured(getElement(fieldSchema));
    return fieldSchema.def.type !== 'object' || isFlat(fieldSchema);
  });
}

function isStructured(schema: z.ZodType): boolean {
  return ['object', 'array', 'record'].includes(unwrap(schema).def.type);
}

/** Returns the schema without nullable, optional, default and readonly. */
function unwrap(schema: z.ZodType): z.ZodType {
  const innerSchema = getInner(schema);
  return innerSchema ? unwrap(innerSchema) : schema;
}

/**
 * Returns the metadata of a schema and of the schemas that it wraps, because `partial()` wraps each field of an object.
 * The metadata of the outer schema takes precedence.
 */
function readMeta(schema: z.ZodType): z.GlobalMeta {
  const innerSchema = getInner(schema);
  return { ...(innerSchema && readMeta(innerSchema)), ...schema.meta() };
}

/** Returns the schema inside of nullable, optional, default or readonly; undefined for any other kind. */
function getInner(schema: z.ZodType): z.ZodType | undefined {
  const { type, innerType } = schema.def as { type: string; innerType?: z.ZodType };
  return ['nullable', 'optional', 'default', 'readonly'].includes(type) ? innerType : undefined;
}

function getFields(schema: z.ZodType): Record<string, z.ZodType> {
  return (schema.def as unknown as { shape?: Record<string, z.ZodType> }).shape ?? {};
}

function getElement(schema: z.ZodType): z.ZodType {
  return (schema.def as unknown as { element: z.ZodType }).element;
}
