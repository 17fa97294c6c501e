import type * as z from 'zod';
import { formatCsvLine, type CsvValue } from '#shared/csv.ts';
import type { ParquetColumn, ParquetType } from './parquet.ts';

/** Column names of the records in a response, by the key of the record. The schema does not contain them. */
export type RecordKeys = Readonly<Record<string, readonly string[]>>;

/** A table: its columns, and the rows of a response that matches the schema. */
interface CsvTable {
  columns: readonly ParquetColumn[];
  /** Calls `visit` with each row of a response. */
  visitRows(response: unknown, visit: (row: CsvValue[]) => void): void;
}

/** JSON value, or undefined. */
type Value = Readonly<Record<string, unknown>> | readonly unknown[] | CsvValue;

interface Column extends ParquetColumn {
  readValue: (value: Value) => CsvValue;
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
 * Returns the table at the end of a path through responses with this schema. Its columns come
 * from the schema, so they are the same for every response: one for each field of a nested object
 * (`ertInterval.lower`), one with JSON for a list of plain values, none for a list of objects. A null whose schema has
 * `x-null` is infinite (with `x-null-where`, only if that field is neither null nor 0, and with its sign); any other
 * null is a missing value.
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
  if (step === undefined) return makeRowTable(getColumns(unwrappedSchema, keys));
  const keyName = /^\{(\w+)\}$/.exec(step)?.[1];
  return keyName === undefined
    ? makeFieldTable(unwrappedSchema, step, furtherPath, keys)
    : makeValuesTable(unwrappedSchema, keyName, furtherPath, keys);
}

/** Returns the table of a field, for responses that have it. */
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

/** Returns the concatenated tables of all values of an object, with the key of each in the first column. */
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

/** Returns the rows of items. An item is one row, or several rows after its plain fields if the path continues. */
function makeItemTable(item: z.ZodType, path: readonly string[], keys: RecordKeys): CsvTable {
  const itemSchema = unwrap(item);
  if (path.length === 0) return makeRowTable(getColumns(itemSchema, keys));
  const ownColumns = getColumns(itemSchema, keys);
  const table = makeTable(itemSchema, path, keys);
  return {
    columns: [...ownColumns, ...table.columns],
    visitRows: (value, visit) => {
      const ownValues = ownColumns.map(({ readValue }) => readValue(value as Value));
      table.visitRows(value, (row) => visit([...ownValues, ...row]));
    },
  };
}

function makeRowTable(columns: readonly Column[]): CsvTable {
  return {
    columns,
    visitRows: (value, visit) => visit(columns.map(({ readValue }) => readValue(value as Value))),
  };
}

/** Returns the columns of a row with this schema; the only column is `value` if a row is not an object. */
function getColumns(schema: z.ZodType, keys: RecordKeys): Column[] {
  if (schema.def.type !== 'object')
    return [{ heading: 'value', type: getType(schema), readValue: (value) => toPlainValue(value) }];
  return Object.entries(getFields(schema)).flatMap(([key, field]) =>
    getColumnsOfField(key, field, keys),
  );
}

function getColumnsOfField(key: string, field: z.ZodType, keys: RecordKeys): Column[] {
  const fieldSchema = unwrap(field);
  const { type } = fieldSchema.def;
  if (type === 'record')
    return (keys[key] ?? []).map((name) => nestColumn(key, getColumn(name, 'STRING')));
  if (type === 'array' && isStructured(getElement(fieldSchema))) return [];
  if (type !== 'object') return [readInfinity(getColumn(key, getType(fieldSchema)), key, field)];
  if (!isFlat(fieldSchema)) return [];
  return getColumns(fieldSchema, keys).map((column) => nestColumn(key, column));
}

function getColumn(key: string, type: ParquetType): Column {
  return { heading: key, type, readValue: (value) => toPlainValue(readField(value, key)) };
}

/** Returns a column of an object in a row: empty if there is no such object. */
function nestColumn(key: string, { heading, type, readValue }: Column): Column {
  return {
    heading: `${key}.${heading}`,
    type,
    readValue: (value) => {
      const nestedValue = readField(value, key);
      return nestedValue === null || nestedValue === undefined ? null : readValue(nestedValue);
    },
  };
}

function readInfinity(column: Column, key: string, field: z.ZodType): Column {
  const { 'x-null': meaning, 'x-null-where': signField } = field.meta() ?? {};
  if (meaning !== 'Infinity') return column;
  const readWithSign = (value: Value) => {
    const sign = typeof signField === 'string' ? Number(readField(value, signField) ?? 0) : 1;
    return readField(value, key) === null && sign !== 0 ? sign * Infinity : column.readValue(value);
  };
  // An integer column cannot be infinite.
  return { ...column, type: 'DOUBLE', readValue: readWithSign };
}

/** Returns the type of a column: integers, also those that are texts because they are long, have 64 bits. */
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

/** Returns whether an object contains no list of objects at any depth. */
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
  const { type, innerType } = schema.def as { type: string; innerType?: z.ZodType };
  return innerType && ['nullable', 'optional', 'default', 'readonly'].includes(type)
    ? unwrap(innerType)
    : schema;
}

function getFields(schema: z.ZodType): Record<string, z.ZodType> {
  return (schema.def as unknown as { shape?: Record<string, z.ZodType> }).shape ?? {};
}

function getElement(schema: z.ZodType): z.ZodType {
  return (schema.def as unknown as { element: z.ZodType }).element;
}
